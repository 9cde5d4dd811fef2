package dev.colony.core.lifecycle;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.RecoveryPolicy.RecoveryCause;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What an agent can be told; each becomes events or is refused by {@link Lifecycle#decide}. */
public sealed interface AgentCommand {

  /** When it was given, by the clock of the node that gave it. */
  Instant at();

  /**
   * Take the agent over for a new incarnation.
   *
   * @param blueprint what the directory says, for an agent whose journal is empty
   * @param forkSeed what it is born with, if it is a fork whose journal is empty
   * @param cause why it is taken over
   */
  record Claim(
      Optional<AgentBlueprint> blueprint,
      Optional<ForkSeed> forkSeed,
      String node,
      RecoveryCause cause,
      Instant at)
      implements AgentCommand {

    /** One by an actor that knows of nothing before it. */
    public Claim(
        Optional<AgentBlueprint> blueprint, Optional<ForkSeed> forkSeed, String node, Instant at) {
      this(blueprint, forkSeed, node, RecoveryCause.UNKNOWN, at);
    }
  }

  record AcceptRun(RunRequest request, Instant at) implements AgentCommand {}

  /**
   * The iteration that is under way is about to ask the model.
   *
   * @param name of the call within the iteration
   * @param promptTokens of its prompt, estimated
   */
  record RecordAsking(String name, long promptTokens, Instant at) implements AgentCommand {}

  /**
   * The model has answered a call of the iteration that is under way.
   *
   * @param name of the call within the iteration
   * @param paged whether the call carried pages, so that residency means something
   */
  record RecordReply(String name, InferenceReply reply, boolean paged, Instant at)
      implements AgentCommand {}

  /**
   * What an iteration makes durable, and in the same append the reply that it has held back for it.
   * A reply that the agent has no step for any more is left out; with a command that is refused it
   * is refused.
   */
  record WithReply(RecordReply reply, AgentCommand command) implements AgentCommand {

    @Override
    public Instant at() {
      return command.at();
    }
  }

  /**
   * A model call of the iteration that is under way has failed.
   *
   * @param name of the call within the iteration
   * @param usage of all its completions
   */
  record RecordFailure(String name, Usage usage, Instant at) implements AgentCommand {}

  /**
   * The iteration that is under way is about to start an external action.
   *
   * @param delta what it has changed so far
   */
  record IntendAction(Action action, boolean retryable, StepDelta delta, Instant at)
      implements AgentCommand {}

  /**
   * The iteration that is under way is about to start an external action, one of several; or to
   * finish one that a crash has cut off.
   *
   * @param approval the person's answer that it uses up, if it does, as the iteration names it
   */
  record BeginAction(Action action, boolean retryable, Optional<String> approval, Instant at)
      implements AgentCommand {}

  /**
   * One of several actions of the iteration that is under way has ended.
   *
   * @param approval as with its beginning, if it had one
   */
  record EndAction(ActionCall call, Optional<String> approval, Instant at)
      implements AgentCommand {}

  /**
   * An iteration has ended, or an action that one had begun before a crash.
   *
   * @param delta all that the iteration has changed
   */
  record CompleteStep(ActionPolicyIterationResult result, StepDelta delta, Instant at)
      implements AgentCommand {}

  /** The run ends without its policy: a bound was reached, it was cancelled, or it broke. */
  record CompleteRun(AgentRun run, Instant at) implements AgentCommand {}

  record ConfirmPublished(RunId runId, Instant at) implements AgentCommand {}

  /** The blackboard will wake the agent for writes to these scopes, and for no others. */
  record WatchScopes(List<Watch> watches, Instant at) implements AgentCommand {}

  /** A write at this position matched. */
  record NoticeEvents(Scope scope, Position position, Instant at) implements AgentCommand {}

  /**
   * The writes of a scope up to a position have been read. There are none, or they are for a run of
   * their own or for the one that is open, not for both.
   *
   * @param run to be executed for them
   * @param delivered to the run that is open
   * @param next the first write after them that is known
   */
  record TakeEvents(
      Scope scope,
      Optional<RunRequest> run,
      Optional<EventBatch> delivered,
      Position upTo,
      Optional<Position> next,
      Instant at)
      implements AgentCommand {}

  /**
   * Do what a caller, an operator or the runtime wants of the agent.
   *
   * @param signal where in the agent's own scope it was given, by a message that may come again and
   *     late; empty for what the runtime itself wants
   */
  record Apply(Intent intent, Optional<Position> signal, Instant at) implements AgentCommand {

    /** What the runtime itself wants. */
    public Apply(Intent intent, Instant at) {
      this(intent, Optional.empty(), at);
    }
  }

  /** The past has been read of the run that is to be executed again. */
  record CompleteRewind(Rewinding.Past past, Instant at) implements AgentCommand {}

  /** The suspension of this number is in the index of those that wait. */
  record ConfirmSuspended(long suspension, Instant at) implements AgentCommand {}

  /** The directory knows that the agent lives in that unit. */
  record ConfirmRehomed(int unit, Instant at) implements AgentCommand {}

  /** The directory, and through it the parent, knows the state; so do the children. */
  record ConfirmAnnounced(AgentState state, Instant at) implements AgentCommand {}

  /** What moves an agent from one {@link dev.colony.agent.AgentState} to another. */
  enum LifecycleCommand {
    /** Begin to exist; comes with the first claim. */
    START,
    /** A run was accepted by an agent without one. Never given from outside. */
    BEGIN_WORK,
    /** The run cannot go on by itself. Never given from outside. */
    BLOCK,
    /** What the run waited for has come; given from outside where it is not an event. */
    UNBLOCK,
    /** The last result is published. Never given from outside. */
    FINISH_WORK,
    /** All pages that the agent is bound to are resident again. */
    PAGES_AVAILABLE,
    /** Some of them no longer are. */
    PAGES_EVICTED,
    /** Put the state away and do nothing. */
    SUSPEND,
    /** Go on from there. */
    RESUME,
    /** End for good. */
    STOP,
    /** End for good, because of an error. */
    FAIL;

    /** Whether it follows from an agent's work, so that no caller can give it. */
    public boolean implied() {
      return this == BEGIN_WORK || this == BLOCK || this == FINISH_WORK;
    }
  }
}
