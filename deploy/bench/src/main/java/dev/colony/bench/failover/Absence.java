package dev.colony.bench.failover;

import dev.colony.agent.client.AgentHandle;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * How long the agents of one node were away: from the signal that ended it until each has answered
 * a new run that was asked for right after the signal.
 *
 * @param node that was ended
 * @param millis for each agent that lived there, the shortest first
 */
record Absence(String node, List<Double> millis) {

  Absence {
    millis = millis.stream().sorted().toList();
  }

  /**
   * Ends a node and measures.
   *
   * @param signal sends it
   * @throws CommandFailure if an agent does not come back
   */
  static Absence measure(String node, List<AgentHandle> agents, Runnable signal) {
    long begun = System.nanoTime();
    signal.run();
    List<CompletableFuture<Double>> answers = new ArrayList<>();
    for (AgentHandle agent : agents) {
      answers.add(Population.ask(agent).thenApply(process -> (System.nanoTime() - begun) / 1e6));
    }
    try {
      return new Absence(node, answers.stream().map(CompletableFuture::join).toList());
    } catch (CompletionException failure) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, failure.getCause().getMessage(), failure);
    }
  }

  int agents() {
    return millis.size();
  }

  double firstMillis() {
    return millis.getFirst();
  }

  double medianMillis() {
    return millis.get(millis.size() / 2);
  }

  /** When all of them had answered. */
  double lastMillis() {
    return millis.getLast();
  }
}
