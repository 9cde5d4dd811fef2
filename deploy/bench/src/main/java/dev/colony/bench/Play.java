package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What one way to model servers has come to, over its rounds. Its turns run at once. */
final class Play {

  private static final Pattern COUNTER =
      Pattern.compile("(?m)^vllm:prefix_cache_(hits|queries)_total(?:\\{[^}]*})? (\\S+)$");

  /**
   * A turn that is played.
   *
   * @param at its place in the trace
   * @param session whose turn it is, which no other play has
   */
  record Asked(AgentTrace trace, int at, String id, String session, String text) {}

  /** One way to the servers: answers a turn, and says when its first token has come. */
  @FunctionalInterface
  interface Way {

    /** What comes is another play. */
    default void begins() {}

    void ask(Asked turn, Runnable first)
        throws IOException, InterruptedException, ExecutionException;
  }

  /** What servers count. */
  @FunctionalInterface
  interface Metrics {
    String of(URI server) throws IOException;
  }

  private final List<URI> servers;
  private final Metrics metrics;
  private final int blockWords;
  private final Latencies first = new Latencies();
  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicReference<String> why = new AtomicReference<>("");
  private final List<Double> sessionSeconds = new ArrayList<>();
  private final List<Double> waits = new ArrayList<>();
  private double seconds;
  private final long[] hits;
  private final long[] prompts;

  /**
   * @param blockWords words that stand for a block of a prompt
   */
  Play(List<URI> servers, Metrics metrics, int blockWords) {
    this.servers = servers;
    this.metrics = metrics;
    this.blockWords = blockWords;
    hits = new long[servers.size()];
    prompts = new long[servers.size()];
  }

  boolean whole() {
    return failed.get() == 0;
  }

  /** Tokens of prompts, by the servers' count. */
  long promptTokens() {
    return Arrays.stream(prompts).sum();
  }

  private record Span(long from, long to, long waited, int turns) {
    Span and(Span other) {
      return new Span(
          Math.min(from, other.from),
          Math.max(to, other.to),
          waited + other.waited,
          turns + other.turns);
    }
  }

  void run(Way way, AgentTrace trace, String words) throws IOException {
    count(-1);
    way.begins();
    long from = System.nanoTime();
    Map<String, Span> spans = new HashMap<>();
    List<CompletableFuture<Void>> done = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (AgentTrace.Turn turn : trace.turns()) {
        List<CompletableFuture<Void>> before = turn.after().stream().map(done::get).toList();
        Asked asked =
            new Asked(
                trace,
                done.size(),
                words + "-" + done.size(),
                words + "-" + turn.session(),
                turn.text(words, blockWords));
        done.add(
            CompletableFuture.runAsync(
                () -> {
                  before.forEach(CompletableFuture::join);
                  Span span = played(way, asked, turn.pauseMillis());
                  synchronized (spans) {
                    spans.merge(turn.session(), span, Span::and);
                  }
                },
                threads));
      }
      ClosedLoop.await(
          CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)), "the turns");
    }
    seconds += (System.nanoTime() - from) / 1e9;
    count(1);
    spans
        .values()
        .forEach(span -> {
          sessionSeconds.add((span.to() - span.from()) / 1e9);
          waits.add(span.waited() / 1e9 / span.turns());
        });
  }

  private Span played(Way way, Asked turn, long pauseMillis) {
    try {
      Thread.sleep(pauseMillis);
      long from = System.nanoTime();
      CompletableFuture<Long> began = new CompletableFuture<>();
      try {
        way.ask(turn, () -> began.complete(System.nanoTime()));
      } catch (IOException | ExecutionException | IllegalStateException failure) {
        failed.incrementAndGet();
        why.compareAndSet("", failure.getMessage());
      }
      long to = System.nanoTime();
      long waited = began.getNow(to) - from;
      first.add(waited);
      return new Span(from, to, waited, 1);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }

  /** Adds what the servers have counted so far, or takes it away. */
  private void count(int sign) throws IOException {
    for (int i = 0; i < servers.size(); i++) {
      Matcher counter = COUNTER.matcher(metrics.of(servers.get(i)));
      boolean counts = false;
      while (counter.find()) {
        counts = true;
        long[] to = counter.group(1).equals("hits") ? hits : prompts;
        to[i] += sign * (long) Double.parseDouble(counter.group(2));
      }
      if (!counts) {
        throw CommandFailure.badInput(
            servers.get(i)
                + "/metrics does not count vllm:prefix_cache_hits_total: give servers that do");
      }
    }
  }

  void addTo(ObjectNode row, String name, double mostHits) {
    long hit = Arrays.stream(hits).sum();
    long asked = Arrays.stream(prompts).sum();
    double part = asked == 0 ? 0 : (double) hit / asked;
    double sum = waits.stream().mapToDouble(one -> one).sum();
    double squares = waits.stream().mapToDouble(one -> one * one).sum();
    row.put("way", name)
        .put("hitTokens", hit)
        .put("promptTokens", asked)
        .put("hits", Report.rounded(part))
        .put("ofMostHits", Report.rounded(mostHits == 0 ? 0 : part / mostHits))
        .put("firstTokenMeanMillis", Report.rounded(first.meanMillis()));
    first
        .addTo(row, "firstToken")
        .put(
            "sessionSeconds",
            Report.rounded(sessionSeconds.stream().mapToDouble(one -> one).average().orElse(0)))
        .put("allSeconds", Report.rounded(seconds))
        .put("fairness", Report.rounded(squares == 0 ? 1 : sum * sum / waits.size() / squares))
        .put(
            "busiestServer",
            Report.rounded(asked == 0 ? 1 : Arrays.stream(prompts).max().orElse(0) * 1.0 / asked))
        .put("failed", failed.get());
    if (failed.get() > 0) {
      row.put("firstFailure", why.get());
    }
  }
}
