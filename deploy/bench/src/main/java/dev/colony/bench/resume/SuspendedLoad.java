package dev.colony.bench.resume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentStatus;
import dev.colony.agent.client.Colony;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Agents that take their steps and are suspended then. */
final class SuspendedLoad {

  private static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(
          Blueprint.of(ResumeTypes.Sleeper.TYPE), Blueprint.of(ResumeTypes.Diary.TYPE));
  private static final int AT_ONCE = 200;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(20);

  private SuspendedLoad() {}

  static List<AgentId> named(String prefix, int agents) {
    return IntStream.range(0, agents)
        .mapToObj(number -> new AgentId("bench", "resume", prefix + "-" + number))
        .toList();
  }

  /**
   * Spawns them and waits until each has taken its steps and is suspended.
   *
   * @throws CommandFailure if one does not come so far
   */
  static void putToSleep(Colony colony, List<AgentId> agents, int steps) {
    for (int i = 0; i < agents.size(); i++) {
      AgentHandle agent = colony.spawn(agents.get(i), BLUEPRINT).toCompletableFuture().join();
      agent.run(
          JsonNodeFactory.instance.objectNode().put("steps", steps),
          // no caller waits for the result: what waiting takes is the caller's, not the agents'
          RunOptions.namespace("bench").runId(new RunId("night")).timeout(PAUSE));
      if (i >= AT_ONCE) {
        awaitAsleep(colony, agents.get(i - AT_ONCE));
      }
    }
    agents.forEach(agent -> awaitAsleep(colony, agent));
  }

  private static void awaitAsleep(Colony colony, AgentId agent) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!asleep(colony.agent(agent))) {
      if (System.nanoTime() > end) {
        throw new CommandFailure(
            ExitCode.UNSUCCESSFUL, agent + " is not suspended after " + PATIENCE);
      }
      pause();
    }
  }

  private static boolean asleep(AgentHandle agent) {
    Optional<AgentStatus> status = agent.state().toCompletableFuture().join();
    return status.filter(known -> known.state() == AgentState.SUSPENDED).isPresent();
  }

  private static void pause() {
    try {
      TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }
}
