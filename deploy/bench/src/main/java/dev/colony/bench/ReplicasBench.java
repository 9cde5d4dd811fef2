package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.replicas.EngineLoad;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.ReplicaSource;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Plays the turns of agents at model servers that run already. Each play has words of its own, so
 * that none profits from what the one before has left in the caches.
 */
@Command(
    name = "replicas",
    description = {
      "Agents' turns at model servers that run already: through the gateway, to the servers in turn"
          + " and through routers of others, one after the other. Tokens found in caches are those"
          + " that the servers count, as vLLM does.",
    })
final class ReplicasBench extends Bench {

  private static final Duration DEADLINE = Duration.ofMinutes(10);

  /** Enough for the first token and a few more: what differs is how soon it comes. */
  private static final int REPLY_TOKENS = 16;

  private static final String COLONY = "colony";
  private static final String IN_TURN = "in_turn";

  private static final String WIDE =
      """
      colony.inference {
        gateway.max-concurrent-per-replica = 256
        admission { max-waiting = 65536, usual.max-waiting = 65536 }
      }
      """;

  private static final Pattern COUNTER =
      Pattern.compile("(?m)^vllm:prefix_cache_(hits|queries)_total(?:\\{[^}]*})? (\\S+)$");

  @Option(
      names = "--server",
      paramLabel = "URL",
      required = true,
      description = "A model server; two at least.")
  private List<URI> servers;

  @Option(
      names = "--router",
      paramLabel = "NAME=URL",
      description = "A router in front of the same servers; any number.")
  private Map<String, URI> routers = new LinkedHashMap<>();

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Turns that were recorded, as Mooncake's traces are; made up without it.")
  private Optional<Path> trace = Optional.empty();

  @Option(
      names = "--sessions",
      paramLabel = "N",
      defaultValue = "12",
      description = "Of agents (default: ${DEFAULT-VALUE}).")
  private int sessions;

  @Option(
      names = "--turns",
      paramLabel = "N",
      defaultValue = "5",
      description = "Of each session at the most (default: ${DEFAULT-VALUE}).")
  private int turns;

  @Option(
      names = "--block-words",
      paramLabel = "N",
      defaultValue = "32",
      description = "Words that stand for a block of a prompt (default: ${DEFAULT-VALUE}).")
  private int blockWords;

  @Option(
      names = "--pace",
      paramLabel = "X",
      defaultValue = "10",
      description = "By how much pauses are shorter than of tools (default: ${DEFAULT-VALUE}).")
  private double pace;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "2",
      description = "In which all ways have their turn (default: ${DEFAULT-VALUE}).")
  private int rounds;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final JsonMapper json = JsonMapper.builder().build();
  private final AtomicInteger next = new AtomicInteger();

  @Override
  protected void check() {
    if (servers.size() < 2) {
      throw CommandFailure.badInput("--server is given once: give two or more");
    }
    check("--sessions", sessions, 1, 10_000);
    check("--turns", turns, 1, AgentTrace.MOST_TURNS);
    check("--block-words", blockWords, 1, 4096);
    check("--pace", pace, 0.1, 1_000_000);
    check("--rounds", rounds, 1, 100);
  }

  /** One way to the servers: answers a turn, and says when its first token has come. */
  @FunctionalInterface
  private interface Way {
    void ask(String id, String session, String text, Runnable first)
        throws IOException, InterruptedException, ExecutionException;
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) throws IOException {
    Files.createDirectories(directory);
    AgentTrace played =
        trace.isPresent()
            ? AgentTrace.read(trace.get(), sessions, turns, pace)
            : AgentTrace.made(sessions, turns, pace, 1);
    Config wide = ConfigFactory.parseString(WIDE).withFallback(config());
    try (http;
        ReplicaMonitor monitor =
            ReplicaMonitor.start("", ReplicaSettings.fromConfig(wide), ReplicaSource.of(servers));
        HttpInferenceGateway gateway =
            new HttpInferenceGateway(
                GatewaySettings.fromConfig(wide),
                ModelCatalog.fromConfig(wide),
                RoutingSettings.fromConfig(wide),
                "bench",
                monitor,
                ResidencyView.NONE,
                CallObserver.NONE,
                BacklogExchange.NONE)) {
      gateway.keepPrompts();
      monitor.listen(gateway.replicaListener());
      Map<String, Way> ways = new LinkedHashMap<>();
      ways.put(
          COLONY,
          (id, session, text, first) ->
              gateway
                  .complete(
                      call(id, session, text),
                      part -> {
                        if (!(part instanceof InferenceDelta.Asked)) {
                          first.run();
                        }
                      })
                  .get());
      String model = model();
      ways.put(
          IN_TURN,
          (id, session, text, first) -> {
            int server = Math.floorMod(next.getAndIncrement(), servers.size());
            stream(servers.get(server), model, session, text, first);
          });
      routers.forEach((name, url) ->
          ways.put(name, (id, session, text, first) -> stream(url, model, session, text, first)));
      return rounds(ways, played, progress);
    }
  }

  private ObjectNode rounds(Map<String, Way> ways, AgentTrace played, Progress progress)
      throws IOException {
    for (Map.Entry<String, Way> way : ways.entrySet()) {
      progress.note("warming up, " + way.getKey());
      new Play().run(way.getValue(), AgentTrace.made(2, 2, 1e6, 1), "warm-up-" + System.nanoTime());
    }
    Map<String, Play> plays = new LinkedHashMap<>();
    List<String> order = new ArrayList<>(ways.keySet());
    for (int round = 0; round < rounds; round++) {
      for (String name : order) {
        progress.note("round %d of %d, %s".formatted(round + 1, rounds, name));
        plays
            .computeIfAbsent(name, any -> new Play())
            .run(ways.get(name), played, name + "-" + round + "-" + System.nanoTime());
      }
      Collections.rotate(order, 1);
    }
    long asked = Arrays.stream(plays.get(COLONY).prompts).sum() / rounds;
    long blocks = played.turns().stream().mapToLong(turn -> turn.blocks().size()).sum();
    double mostHits = played.mostHits(Math.max(1, cacheTokens() * blocks / Math.max(1, asked)));
    ObjectNode found =
        Report.object()
            .put("servers", servers.size())
            .put("turns", played.turns().size())
            .put("mostHitsWithRoom", Report.rounded(played.mostHits(Long.MAX_VALUE)))
            .put("mostHits", Report.rounded(mostHits));
    ways.keySet()
        .forEach(
            name -> plays.get(name).addTo(found.withArray("/ways").addObject(), name, mostHits));
    return found.put(WHOLE, plays.values().stream().allMatch(play -> play.failed.get() == 0));
  }

  @Override
  protected String broken() {
    return "calls have failed";
  }

  /** What one way has come to, over its rounds. Its turns run at once. */
  private final class Play {
    private final Latencies first = new Latencies();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicReference<String> why = new AtomicReference<>("");
    private final List<Double> sessionSeconds = new ArrayList<>();
    private final List<Double> waits = new ArrayList<>();
    private final long[] hits = new long[servers.size()];
    private final long[] prompts = new long[servers.size()];

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
      Map<String, Span> spans = new HashMap<>();
      List<CompletableFuture<Void>> done = new ArrayList<>();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (AgentTrace.Turn turn : trace.turns()) {
          List<CompletableFuture<Void>> before = turn.after().stream().map(done::get).toList();
          String id = words + "-" + done.size();
          done.add(
              CompletableFuture.runAsync(
                  () -> {
                    before.forEach(CompletableFuture::join);
                    Span span = played(way, turn, id, words);
                    synchronized (spans) {
                      spans.merge(turn.session(), span, Span::and);
                    }
                  },
                  threads));
        }
        ClosedLoop.await(
            CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)), "the turns");
      }
      count(1);
      spans
          .values()
          .forEach(span -> {
            sessionSeconds.add((span.to() - span.from()) / 1e9);
            waits.add(span.waited() / 1e9 / span.turns());
          });
    }

    private Span played(Way way, AgentTrace.Turn turn, String id, String words) {
      try {
        Thread.sleep(turn.pauseMillis());
        long from = System.nanoTime();
        CompletableFuture<Long> began = new CompletableFuture<>();
        try {
          String session = words + "-" + turn.session();
          way.ask(
              id, session, turn.text(words, blockWords), () -> began.complete(System.nanoTime()));
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
        Matcher counter = COUNTER.matcher(get(servers.get(i).resolve("/metrics")));
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

  /** Of all servers' caches; without an end where one does not say. */
  private long cacheTokens() throws IOException {
    long tokens = 0;
    for (URI server : servers) {
      OptionalLong its =
          EngineLoad.parse(get(server.resolve("/metrics")))
              .map(EngineLoad::cacheTokens)
              .orElse(OptionalLong.empty());
      if (its.isEmpty()) {
        return Integer.MAX_VALUE;
      }
      tokens += its.getAsLong();
    }
    return tokens;
  }

  private static final String SYSTEM = "You answer in a few words.";

  private static InferenceRequest call(String id, String session, String text) {
    return InferenceRequest.of(
        id,
        Prompt.of(SYSTEM, List.of(), text),
        ReplyForm.text(REPLY_TOKENS).cutAllowed(),
        CallContext.within(DEADLINE).session(Optional.of(session)));
  }

  /** As any client of OpenAI's protocol asks, with the session that some routers go by. */
  private void stream(URI base, String model, String session, String text, Runnable first)
      throws IOException, InterruptedException {
    ObjectNode body = Report.object().put("model", model).put("stream", true).put("temperature", 0);
    body.put("max_tokens", REPLY_TOKENS);
    body.withArray("/messages").addObject().put("role", "system").put("content", SYSTEM);
    body.withArray("/messages").addObject().put("role", "user").put("content", text);
    HttpResponse<Stream<String>> reply =
        http.send(
            HttpRequest.newBuilder(base.resolve("/v1/chat/completions"))
                .header("Content-Type", "application/json")
                .header("X-Session-ID", session)
                .timeout(DEADLINE)
                .POST(BodyPublishers.ofString(body.toString()))
                .build(),
            BodyHandlers.ofLines());
    try (Stream<String> lines = reply.body()) {
      if (reply.statusCode() != 200) {
        throw new IOException(base + " answered " + reply.statusCode());
      }
      for (Iterator<String> line = lines.iterator(); line.hasNext(); ) {
        String one = line.next();
        if (one.startsWith("data: {") && begins(json.readTree(one.substring("data: ".length())))) {
          first.run();
        }
      }
    }
  }

  private static boolean begins(JsonNode part) {
    return !part.at("/choices/0/delta/content").asText("").isEmpty();
  }

  private String model() throws IOException {
    return json.readTree(get(servers.getFirst().resolve("/v1/models"))).at("/data/0/id").asText();
  }

  private String get(URI uri) throws IOException {
    try {
      return http.send(
              HttpRequest.newBuilder(uri).timeout(DEADLINE).build(), BodyHandlers.ofString())
          .body();
    } catch (IOException gone) {
      throw CommandFailure.badInput("%s does not answer: %s".formatted(uri, gone));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }
}
