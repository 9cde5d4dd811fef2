package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentResources;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.server.node.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * All agents' sessions on a cluster that has run nothing yet. Of what it finds {@code warmTurns} is
 * the part of the turns after an agent's first that found half of their prompts or more cached,
 * {@code cachedTokens} the part of all prompts' tokens, {@code longestWaitSeconds} from when a turn
 * could begin until it was answered.
 */
record LeaseRound(List<Node> nodes, Load load) {

  /**
   * What the agents of a benchmark of leases do, which hangs on the seed alone.
   *
   * @param agents on all nodes together, which all begin within {@code spreadMillis}
   * @param turns of each, a model call and a pause
   * @param startTokens of an agent's first prompt, of which {@code sharedTokens} are the same for
   *     all
   * @param turnTokens by which a prompt is longer than the one before
   * @param pauseMillis between two turns, on average; exponentially distributed, up to four times
   *     that
   * @param overcommit how many times the agents' prompts, of medium length, fill all caches
   *     together
   */
  record Load(
      int agents,
      int turns,
      int sharedTokens,
      int startTokens,
      int turnTokens,
      int pauseMillis,
      int spreadMillis,
      double overcommit,
      long seed) {

    record Session(int startMillis, long textSeed, int[] pausesMillis) {}

    Session session(int agent) {
      Random random = new Random(seed * 31 + agent);
      int start = random.nextInt(spreadMillis + 1);
      long text = random.nextLong();
      int[] pauses = new int[turns - 1];
      for (int i = 0; i < pauses.length; i++) {
        double drawn = -Math.log(1 - random.nextDouble());
        pauses[i] = (int) (pauseMillis * Math.min(4, drawn));
      }
      return new Session(start, text, pauses);
    }

    /** Tokens of an agent's prompt of medium length. */
    int workingSetTokens() {
      return startTokens + turnTokens * (turns - 1) / 2;
    }

    /** Blocks that each of so many caches is to have. */
    int cacheBlocks(int replicas, int blockTokens) {
      return (int) (agents * (double) workingSetTokens() / overcommit / replicas / blockTokens);
    }
  }

  private static final Duration LONGEST = Duration.ofMinutes(20);

  /** Of a prompt's tokens, those that a warm turn found cached at least. */
  private static final double WARM = 0.5;

  private static final Pattern GRANTED =
      Pattern.compile("(?m)^colony_leases_granted_total(?:\\{[^}]*})? (\\S+)$");

  private record Ended(double seconds, JsonNode turns) {}

  /**
   * Blocks until all have ended.
   *
   * @throws CommandFailure if one fails
   */
  ObjectNode run() {
    warmUp();
    List<AgentHandle> agents = spawned();
    long began = System.nanoTime();
    List<CompletableFuture<Ended>> sessions = new ArrayList<>();
    for (int i = 0; i < agents.size(); i++) {
      sessions.add(session(agents.get(i), load.session(i)));
    }
    CompletableFuture.allOf(sessions.toArray(CompletableFuture[]::new))
        .exceptionally(failed -> null)
        .join();
    double allSeconds = (System.nanoTime() - began) / 1e9;
    try {
      return figures(sessions.stream().map(CompletableFuture::join).toList(), allSeconds);
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
      sessions.add(session(agent, new Load.Session(0, -1 - i, new int[1])));
    }
    sessions.forEach(CompletableFuture::join);
  }

  private AgentBlueprint blueprint() {
    return AgentBlueprint.of(
            Blueprint.of(BenchTypes.Conversation.TYPE), Blueprint.of(BenchTypes.Pause.TYPE))
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

  private CompletableFuture<Ended> session(AgentHandle agent, Load.Session session) {
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

  private ObjectNode input(Load.Session session) {
    ObjectNode input =
        JsonNodeFactory.instance
            .objectNode()
            .put("from", BenchTypes.millis())
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
      throw CommandFailure.unsuccessful(
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

  private ObjectNode figures(List<Ended> sessions, double allSeconds) {
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
    double mean = sessions.stream().mapToDouble(Ended::seconds).average().orElseThrow();
    return Report.object()
        .put("sessionSeconds", Report.rounded(mean))
        .put("allSeconds", Report.rounded(allSeconds))
        .put("longestWaitSeconds", Report.rounded(longest))
        .put("warmTurns", Report.rounded((double) warm / (load.agents() * (load.turns() - 1))))
        .put("cachedTokens", Report.rounded((double) cached / prompt))
        .put("promptTokens", prompt)
        .put("granted", granted());
  }

  /** Leases that all nodes together have been granted. */
  private long granted() {
    return nodes.stream()
        .flatMap(node -> GRANTED.matcher(node.metrics().text()).results())
        .mapToLong(found -> (long) Double.parseDouble(found.group(1)))
        .sum();
  }
}
