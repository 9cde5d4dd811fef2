package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunStats;
import dev.colony.inference.InferenceReply;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * How far the run at the head of the queue has come. Of reply, failure, intended and ended,
 * intended may stand beside one of the first two; otherwise at most one is present.
 *
 * @param outcomes of the completed steps
 * @param reply the model's, within the current step
 * @param failure why the model did not answer within the current step
 * @param intended the external action that may have started
 * @param intendedBy the incarnation that journaled that intent; 0 without one
 * @param ended the run's end, while its result waits to be published
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record ActiveRun(
    RunStats stats,
    Outcomes outcomes,
    Optional<InferenceReply> reply,
    Optional<ModelFailure> failure,
    Optional<Action> intended,
    long intendedBy,
    Optional<AgentRun> ended) {

  static ActiveRun fresh() {
    return new ActiveRun(
        RunStats.NONE,
        Outcomes.none(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        0,
        Optional.empty());
  }

  /** Whether nothing has come of it yet. */
  boolean untouched() {
    return stats.steps() == 0
        && reply.isEmpty()
        && failure.isEmpty()
        && intended.isEmpty()
        && ended.isEmpty();
  }

  ActiveRun answered(InferenceReply answer, boolean paged) {
    boolean first = paged && stats.placementHits() + stats.placementMisses() == 0;
    RunStats counted =
        stats.plus(
            new RunStats(
                0,
                1,
                answer.usage(),
                first && answer.resident() ? 1 : 0,
                first && !answer.resident() ? 1 : 0,
                BigDecimal.ZERO));
    return new ActiveRun(
        counted,
        outcomes,
        Optional.of(answer),
        Optional.empty(),
        Optional.empty(),
        0,
        Optional.empty());
  }

  ActiveRun modelFailed(ModelFailure why) {
    return new ActiveRun(
        stats, outcomes, Optional.empty(), Optional.of(why), Optional.empty(), 0, Optional.empty());
  }

  ActiveRun intended(Action action, long incarnation) {
    return new ActiveRun(
        stats, outcomes, reply, failure, Optional.of(action), incarnation, Optional.empty());
  }

  ActiveRun stepped(ActionOutcome outcome) {
    return new ActiveRun(
        new RunStats(
            stats.steps() + 1,
            stats.modelCalls(),
            stats.usage(),
            stats.placementHits(),
            stats.placementMisses(),
            stats.cost()),
        outcomes.plus(outcome),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        0,
        Optional.empty());
  }

  ActiveRun ended(AgentRun run) {
    return new ActiveRun(
        stats, outcomes, Optional.empty(), Optional.empty(), Optional.empty(), 0, Optional.of(run));
  }
}
