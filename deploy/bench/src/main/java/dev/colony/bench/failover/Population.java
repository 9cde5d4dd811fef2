package dev.colony.bench.failover;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

/** Agents that say where they live. */
final class Population {

  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final String NAMESPACE = "bench";

  private final List<AgentHandle> agents;

  private Population(List<AgentHandle> agents) {
    this.agents = agents;
  }

  /** Creates them. */
  static Population spawn(Colony colony, int size) {
    AgentBlueprint blueprint = AgentBlueprint.of(Blueprint.of(FailoverTypes.Whereabouts.TYPE));
    List<CompletableFuture<AgentHandle>> spawned =
        IntStream.range(0, size)
            .mapToObj(i -> new AgentId("bench", "failover", "agent-" + i))
            .map(id -> colony.spawn(id, blueprint).toCompletableFuture())
            .toList();
    return new Population(spawned.stream().map(CompletableFuture::join).toList());
  }

  int size() {
    return agents.size();
  }

  AgentHandle agent(int number) {
    return agents.get(number % agents.size());
  }

  /** Asks an agent for a run; completes with the process that it lives in. */
  static CompletableFuture<Long> ask(AgentHandle agent) {
    return agent
        .run(
            JsonNodeFactory.instance.objectNode(), RunOptions.namespace(NAMESPACE).timeout(LONGEST))
        .result()
        .toCompletableFuture()
        .thenApply(Population::process);
  }

  private static long process(AgentRun run) {
    if (run.status() != AgentRun.Status.COMPLETED) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, "run " + run.runId() + " failed: " + run.error().orElse(""));
    }
    return run.output().asLong();
  }

  /**
   * Asks all of them where they live.
   *
   * @return those that live in a process, by its id
   * @throws CommandFailure if one does not answer
   */
  Map<Long, List<AgentHandle>> byProcess() {
    try {
      Map<Long, List<AgentHandle>> places = new TreeMap<>();
      List<CompletableFuture<Long>> answers = agents.stream().map(Population::ask).toList();
      for (int i = 0; i < agents.size(); i++) {
        places.computeIfAbsent(answers.get(i).join(), any -> new ArrayList<>()).add(agents.get(i));
      }
      return places;
    } catch (CompletionException failure) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, failure.getCause().getMessage(), failure);
    }
  }
}
