package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.StepDelta;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a caller, an operator or the runtime wants of an agent. The same record goes from the
 * handle, over the agent's inbox, to {@link Lifecycle#decide}; what is around it on the way says
 * where it was given, who is to be answered, and when.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "intent")
@JsonSubTypes({
  @JsonSubTypes.Type(Intent.Suspend.class),
  @JsonSubTypes.Type(Intent.Resume.class),
  @JsonSubTypes.Type(Intent.Approve.class),
  @JsonSubTypes.Type(Intent.Rehome.class),
  @JsonSubTypes.Type(Intent.Cancel.class),
  @JsonSubTypes.Type(Intent.Revise.class),
  @JsonSubTypes.Type(Intent.Rewind.class),
  @JsonSubTypes.Type(Intent.ChangeState.class)
})
public sealed interface Intent {

  /**
   * Put the agent away. Only a suspension that a caller asks for takes the place of one that lasts.
   *
   * @param until what ends it by itself; empty if only a resumption by a caller does
   * @param events whether writes that the agent handles end it too
   */
  @JsonTypeName("suspend")
  record Suspend(
      SuspensionCause cause, String reason, Optional<ResumptionCondition> until, boolean events)
      implements Intent {

    /** The same, and writes wait. */
    public Suspend(SuspensionCause cause, String reason, Optional<ResumptionCondition> until) {
      this(cause, reason, until, false);
    }

    /** The same, lasting until that. */
    public Suspend until(ResumptionCondition condition) {
      return new Suspend(cause, reason, Optional.of(condition), events);
    }
  }

  /**
   * Have the agent go on.
   *
   * @param suspension the one that is to end; empty for the one that lasts, whichever it is
   */
  @JsonTypeName("resume")
  record Resume(OptionalLong suspension, String reason) implements Intent {}

  /**
   * A person has granted or denied what the agent asked for.
   *
   * @param request what, as the agent named it
   * @param note what else the person says; may be empty
   */
  @JsonTypeName("approve")
  record Approve(String request, boolean granted, String by, String note) implements Intent {

    /** The same, given at a time. */
    Approval at(Instant when) {
      return new Approval(request, granted, by, note, when);
    }
  }

  /** Move an agent that does nothing to another placement unit. */
  @JsonTypeName("rehome")
  record Rehome(int unit, String reason) implements Intent {}

  /** Have an accepted run end. */
  @JsonTypeName("cancel")
  record Cancel(RunId run, String reason) implements Intent {}

  /** Have the agent live by another blueprint, from its next step on. */
  @JsonTypeName("revise")
  record Revise(BlueprintChange change, String reason) implements Intent {}

  /**
   * Have the agent execute its last run again.
   *
   * @param step from which on, counted from 0
   * @param attempt that it is to be: asking twice for one is asking once
   */
  @JsonTypeName("rewind")
  record Rewind(RunId run, int step, int attempt, String reason) implements Intent {}

  /** Move the agent to another state, as {@link Transitions} says. */
  @JsonTypeName("change-state")
  record ChangeState(LifecycleCommand command, String reason) implements Intent {}

  /**
   * Whether it takes effect once and in the order in which signals were given: what comes behind a
   * later one makes no difference. Nothing that is given later takes a stop back; a cancellation
   * and a move are the same however often they come; an approval, a change of the blueprint and a
   * rewinding have an order of their own.
   */
  default boolean ordered() {
    return switch (this) {
      case Suspend suspend -> true;
      case Resume resume -> true;
      case ChangeState change -> change.command() != LifecycleCommand.STOP;
      case Approve approve -> false;
      case Rehome rehome -> false;
      case Cancel cancel -> false;
      case Revise revise -> false;
      case Rewind rewind -> false;
    };
  }

  /**
   * An external action that may have started.
   *
   * @param retryable whether it may be executed again under the same idempotency key
   * @param delta what its iteration had changed before
   * @param incarnation which journaled the intent and is executing it, unless a later one has taken
   *     over
   */
  record Intended(Action action, boolean retryable, StepDelta delta, long incarnation) {

    public Intended {
      Objects.requireNonNull(action, "action");
      Objects.requireNonNull(delta, "delta");
    }
  }
}
