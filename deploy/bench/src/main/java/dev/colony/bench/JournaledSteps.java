package dev.colony.bench;

import dev.colony.agent.AgentId;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.serialization.TypeNames;
import dev.colony.journal.JournalCount;
import java.util.List;
import java.util.Map;

/**
 * The completed steps of a benchmark's agents as they stand in the journal.
 *
 * @param lostOrDoubled the sum over the agents of how far each is from the steps it was to do, its
 *     model replies and its outcomes each
 */
public record JournaledSteps(long steps, long lostOrDoubled) {

  private static final String REPLY = TypeNames.of(AgentEvent.ModelAnswered.class);
  private static final String OUTCOME = TypeNames.of(AgentEvent.StepCompleted.class);

  /** Reads every agent's log, one after the other. */
  static JournaledSteps count(JournalCount journal, List<AgentId> agents, int stepsEach) {
    long steps = 0;
    long wrong = 0;
    for (AgentId agent : agents) {
      Map<String, Long> events =
          journal.byManifest(agent.persistenceId()).toCompletableFuture().join();
      // The last iteration of a run decides that it is done, without reply and action.
      long outcomes = Math.max(0, events.getOrDefault(OUTCOME, 0L) - 1);
      steps += outcomes;
      wrong +=
          Math.abs(stepsEach - outcomes) + Math.abs(stepsEach - events.getOrDefault(REPLY, 0L));
    }
    return new JournaledSteps(steps, wrong);
  }
}
