package dev.colony.bench.lease;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentResources;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.server.node.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All agents' sessions on a cluster that has run nothing yet. */
final class LeaseRound {

  private static final Duration LONGEST = Duration.ofMinutes(20);

  /** Of a prompt's tokens, those that a warm turn found cached at least. */
  private static final double WARM = 0.5;

  private static final Duration LOOK_EVERY = Duration.ofMillis(500);

  /** A session that has ended. */
  private record Ended(double seconds, JsonNode turns) {}

  private final List<Node> nodes;
  private final LeaseLoad load;
  private int mostHeld;

  /**
   * @param nodes of the cluster, all of them
   */
  LeaseRound(List<Node> nodes, LeaseLoad load) {
    this.nodes = nodes;
    this.load = load;
  }

  /**
   * Blocks until all have ended.
   *
   * @throws CommandFailure if one fails
   */
  LeaseReport.Round run(Mode mode) {
    warmUp();
    List<AgentHandle> agents = spawned();
    long began = System.nanoTime();
    List<CompletableFuture<Ended>> sessions = new ArrayList<>();
    for (int i = 0; i < agents.size(); i++) {
      sessions.add(session(agents.get(i), load.session(i)));
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(sessions.toArray(CompletableFuture[]::new));
    while (!all.isDone()) {
      all.copy()
          .completeOnTimeout(null, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS)
          .handle((done, failure) -> done)
          .join();
      mostHeld = Math.max(mostHeld, (int) counted("colony_leases_held"));
    }
    double allSeconds = (System.nanoTime() - began) / 1e9;
    try {
      return figures(mode, sessions.stream().map(CompletableFuture::join).toList(), allSeconds);
    } catch (CompletionException failure) {
      throw failure.getCause() instanceof CommandFailure refused ? refused : failure;
    }
  }

  /**
   * An agent on each node asks twice: the classes are loaded, and leases are granted. Its blocks
   * are the first to be evicted.
   */
  private void warmUp() {
    List<CompletableFuture<Ended>> sessions = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      AgentHandle agent =
          nodes
              .get(i)
              .colony()
              .spawn(new AgentId("bench", "warm-up", "agent-" + i), blueprint())
              .toCompletableFuture()
              .join();
      sessions.add(session(agent, new LeaseLoad.Session(0, -1 - i, new int[1])));
    }
    sessions.forEach(CompletableFuture::join);
  }

  private AgentBlueprint blueprint() {
    return AgentBlueprint.of(
            Blueprint.of(LeaseTypes.Conversation.TYPE), Blueprint.of(LeaseTypes.Pause.TYPE))
        .resources(new AgentResources(50, load.startTokens(), 1));
  }

  private List<AgentHandle> spawned() {
    AgentBlueprint blueprint = blueprint();
    List<CompletableFuture<AgentHandle>> spawned = new ArrayList<>();
    for (int i = 0; i < load.agents(); i++) {
      spawned.add(
          nodes
              .get(i % nodes.size())
              .colony()
              .spawn(new AgentId("bench", "leases", "agent-" + i), blueprint)
              .toCompletableFuture());
    }
    return spawned.stream().map(CompletableFuture::join).toList();
  }

  private CompletableFuture<Ended> session(AgentHandle agent, LeaseLoad.Session session) {
    return CompletableFuture.runAsync(
            () -> {},
            CompletableFuture.delayedExecutor(session.startMillis(), TimeUnit.MILLISECONDS))
        .thenCompose(due -> {
          long began = System.nanoTime();
          return agent
              .run(input(session), RunOptions.namespace("bench").timeout(LONGEST))
              .result()
              .thenApply(run ->
                  new Ended(
                      (System.nanoTime() - began) / 1e9,
                      turns(run, session.pausesMillis().length + 1)));
        });
  }

  private ObjectNode input(LeaseLoad.Session session) {
    ObjectNode input =
        JsonNodeFactory.instance
            .objectNode()
            .put("from", LeaseTypes.millis())
            .put("text", session.textSeed())
            .put("sharedTokens", load.sharedTokens())
            .put("startTokens", load.startTokens())
            .put("turnTokens", load.turnTokens());
    for (int pause : session.pausesMillis()) {
      input.withArray("pauses").add(pause);
    }
    return input;
  }

  private static JsonNode turns(AgentRun run, int expected) {
    if (run.status() != AgentRun.Status.COMPLETED || run.output().size() != expected) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL,
          "run %s ended %s with %d of %d turns: %s"
              .formatted(
                  run.runId(),
                  run.status(),
                  run.output().size(),
                  expected,
                  run.error().orElse("")));
    }
    return run.output();
  }

  private LeaseReport.Round figures(Mode mode, List<Ended> sessions, double allSeconds) {
    double longest = 0;
    int warm = 0;
    long prompt = 0;
    long cached = 0;
    for (Ended session : sessions) {
      boolean first = true;
      for (JsonNode turn : session.turns()) {
        longest = Math.max(longest, (turn.path("to").asLong() - turn.path("from").asLong()) / 1e3);
        long tokens = turn.path("prompt").asLong();
        long found = turn.path("cached").asLong();
        warm += !first && found >= WARM * tokens ? 1 : 0;
        first = false;
        prompt += tokens;
        cached += found;
      }
    }
    ToDoubleFunction<Ended> seconds = Ended::seconds;
    return new LeaseReport.Round(
        mode,
        sessions.stream().mapToDouble(seconds).average().orElseThrow(),
        allSeconds,
        longest,
        (double) warm / (load.agents() * (load.turns() - 1)),
        (double) cached / prompt,
        prompt,
        mostHeld,
        (long) counted("colony_leases_granted_total"),
        (long) counted("colony_leases_paged_out_total"),
        (long) counted("colony_leases_forced_total"));
  }

  /** By all nodes together; 0 where none says anything. */
  private double counted(String metric) {
    Pattern line = Pattern.compile("^" + metric + "(?:\\{[^}]*})? (\\S+)$", Pattern.MULTILINE);
    double sum = 0;
    for (Node node : nodes) {
      Matcher found = line.matcher(node.metrics().text());
      while (found.find()) {
        sum += Double.parseDouble(found.group(1));
      }
    }
    return sum;
  }
}
