package dev.colony.core.lifecycle;

import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Suspending.ReasonText;
import java.time.Instant;
import java.util.Optional;

/**
 * What a recovery means for the run that is under way. Recoveries in a row, without the end of a
 * step or of anything else that the agent does between them, are counted in the journal; a run that
 * cannot go on ends with the claim, in one append, so that nothing of it is done again.
 */
public final class RecoveryPolicy {

  private RecoveryPolicy() {}

  /** How many recoveries in a row there have been, with the one that this claim is. */
  static int count(AgentSnapshot state, RecoveryCause cause) {
    boolean counts =
        switch (cause.kind()) {
          case UNKNOWN -> atWork(state) && state.incarnation() > 0;
          case FAILED, REJECTED -> true;
          case PASSING, LOST -> false;
        };
    return counts ? state.holder().recoveries() + 1 : state.holder().recoveries();
  }

  /** Whether a step is under way in a state, or may be. */
  public static boolean atWork(AgentSnapshot state) {
    return state.state() == AgentState.RUNNING
        && (state.phase() == Phase.ITERATING || state.phase() == Phase.INTENDED);
  }

  /** Why the open run is to end with the claim; empty if it goes on. */
  static Optional<String> end(RecoveryCause cause, int recoveries, int most) {
    String why = cause.why().isEmpty() ? "" : ": " + cause.why();
    if (cause.kind() == RecoveryCause.Kind.REJECTED) {
      return Optional.of("the journal refuses what came of the step" + why);
    }
    if (cause.kind() == RecoveryCause.Kind.LOST) {
      return Optional.of(cause.why());
    }
    return recoveries > most
        ? Optional.of(
            "the agent was recovered %d times in a row without the end of a step%s"
                .formatted(recoveries, why))
        : Optional.empty();
  }

  /** Whether a run is open that can be ended. */
  static boolean open(AgentSnapshot state) {
    return switch (state.phase()) {
      case ITERATING, INTENDED, BLOCKED -> true;
      case UNBORN, RESTING, ENDED -> false;
    };
  }

  static AgentCommand.CompleteRun blockedRun(AgentSnapshot state, String why, Instant at) {
    ActiveRun run = state.active().orElseThrow();
    return new AgentCommand.CompleteRun(
        AgentRun.failed(state.queue().getFirst().runId(), why, run.stats()).session(run.session()),
        at);
  }

  /** Whether an event shows that the agent gets on. */
  static boolean progress(AgentEvent event) {
    return switch (event) {
      case AgentEvent.StepCompleted step -> true;
      case AgentEvent.ActionEnded ended -> true;
      case AgentEvent.RunCompleted completed -> true;
      case AgentEvent.ResultPublished published -> true;
      case AgentEvent.ScopesWatched watched -> true;
      case AgentEvent.EventsTaken taken -> true;
      case AgentEvent.Transitioned moved -> true;
      case AgentEvent.SuspensionEntered entered -> true;
      case AgentEvent.RehomeConfirmed known -> true;
      case AgentEvent.Announced announced -> true;
      // What others ask for, and what is journaled anew in each repetition of a step.
      case AgentEvent.Spawned spawned -> false;
      case AgentEvent.Claimed claimed -> false;
      case AgentEvent.Forked forked -> false;
      case AgentEvent.RewindRequested requested -> false;
      case AgentEvent.RewindRefused refused -> true;
      case AgentEvent.RunRewound rewound -> true;
      case AgentEvent.RunAccepted accepted -> false;
      case AgentEvent.ModelAsked asked -> false;
      case AgentEvent.ModelAnswered answered -> false;
      case AgentEvent.ModelFailed failed -> false;
      case AgentEvent.ActionIntended intended -> false;
      case AgentEvent.ActionBegun begun -> false;
      case AgentEvent.CancelRequested cancelled -> false;
      case AgentEvent.EventsNoticed noticed -> false;
      case AgentEvent.SignalApplied applied -> false;
      case AgentEvent.Approved approved -> false;
      case AgentEvent.Rehomed moved -> false;
      case AgentEvent.BlueprintRevised revised -> true;
    };
  }

  /**
   * Why an agent is claimed anew, as far as the actor that claims it knows.
   *
   * @param why one line for people; empty where nothing is known
   */
  public record RecoveryCause(Kind kind, String why) {

    /** Nothing is known of the actor before: it has left, or its node died with it. */
    public static final RecoveryCause UNKNOWN = new RecoveryCause(Kind.UNKNOWN, "");

    /** The store was away; that passes. */
    public static final RecoveryCause PASSING = new RecoveryCause(Kind.PASSING, "");

    /** What is known. */
    public enum Kind {
      UNKNOWN,
      PASSING,
      /** The actor itself has failed, as it will again if nothing else changes. */
      FAILED,
      /** The journal refuses for good what came of the agent's work. */
      REJECTED,
      /** The store has lost events, and an operator has decided that the open run ends. */
      LOST
    }

    public RecoveryCause {
      why = ReasonText.line(why);
    }

    public static RecoveryCause failed(String why) {
      return new RecoveryCause(Kind.FAILED, why);
    }

    public static RecoveryCause lost(String why) {
      return new RecoveryCause(Kind.LOST, why);
    }

    public static RecoveryCause rejected(String why) {
      return new RecoveryCause(Kind.REJECTED, why);
    }
  }
}
