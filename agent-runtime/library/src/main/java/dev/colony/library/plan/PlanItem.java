package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.suspension.ResumptionCondition;
import java.util.Objects;
import java.util.Optional;

/**
 * An action in its place in a plan's tree, and what became of it.
 *
 * @param id unique within the run: the names on the way to it, joined by dots; the dispatcher knows
 *     the action by it
 * @param outcome of an action that was executed, the last attempt's
 * @param sub the level below a composite action, once there is a plan for it
 * @param ended the place in the order in which the plan's actions ended, from 1; 0 before
 * @param attempts how often it was given to the dispatcher and could not go on
 * @param note why it stands as it does, one line; empty for nothing to say
 */
public record PlanItem(
    PlanAction action,
    String id,
    Status status,
    Optional<Outcome> outcome,
    Optional<PlanLevel> sub,
    long ended,
    int attempts,
    String note) {

  /** How an action of a plan stands. */
  public enum Status {
    PENDING,
    /** A composite one, part of whose plan has been carried out. */
    OPEN,
    /** It has begun and cannot go on until something else has happened. */
    WAITING,
    DONE,
    FAILED,
    /** It failed, and the plan goes on without it. */
    ACCEPTED,
    /** It was done and its effect was taken back, or left where nothing takes it back. */
    UNDONE,
    /** A revision has taken it out before it was done. */
    DROPPED;

    /** Whether nothing more becomes of it, unless it is undone. */
    boolean settled() {
      return this == DONE || this == ACCEPTED || this == UNDONE || this == DROPPED;
    }

    /** Whether what waits for it may go on. */
    boolean satisfies() {
      return this == DONE || this == ACCEPTED;
    }
  }

  /** How an attempt ended. */
  public enum End {
    SUCCEEDED,
    FAILED,
    BLOCKED
  }

  /**
   * What an attempt came to.
   *
   * @param run in which it was made, whose results are referred to by the action's id
   * @param actionId as the dispatcher knew it
   * @param output a preview of it where it is large
   * @param whole whether {@code output} is all of it
   * @param person whether it waits for a person to approve it, and is tried again without the plan
   * @param error one line; empty for a success
   * @param until what an attempt that could not go on waits for; empty if that cannot be said
   */
  public record Outcome(
      String run,
      String actionId,
      End end,
      JsonNode output,
      boolean whole,
      boolean person,
      String error,
      Optional<ResumptionCondition> until) {
    public Outcome {
      Objects.requireNonNull(end, "end");
      output = output == null ? JsonNodeFactory.instance.nullNode() : output;
      error = error == null ? "" : error;
      until = until == null ? Optional.empty() : until;
    }
  }

  public PlanItem {
    Objects.requireNonNull(action, "action");
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(outcome, "outcome");
    Objects.requireNonNull(sub, "sub");
    note = note == null ? "" : note;
  }

  static PlanItem pending(PlanAction action, String id) {
    return new PlanItem(action, id, Status.PENDING, Optional.empty(), Optional.empty(), 0, 0, "");
  }

  /** The name by which actions of the same level refer to it. */
  public String name() {
    return action.name();
  }

  /** Waits for something that the plan itself has to look after, not for a person. */
  boolean waitsForWorld() {
    return status == Status.WAITING && outcome.filter(Outcome::person).isEmpty();
  }

  /** Of one that is dropped the parts are dropped that nothing has become of. */
  PlanItem status(Status next, String why) {
    Optional<PlanLevel> below =
        next == Status.DROPPED
            ? sub.map(level -> level.settle(PlanItem::unsettled, Status.DROPPED, why))
            : sub;
    return new PlanItem(action, id, next, outcome, below, ended, attempts, why);
  }

  private boolean unsettled() {
    return status == Status.PENDING || status == Status.OPEN || status == Status.WAITING;
  }

  PlanItem came(Status next, Outcome what, long place) {
    return new PlanItem(action, id, next, Optional.of(what), sub, place, 0, what.error());
  }

  PlanItem settled(Status next, long place) {
    return new PlanItem(action, id, next, outcome, sub, place, attempts, note);
  }

  PlanItem waiting(Outcome what) {
    return new PlanItem(
        action, id, Status.WAITING, Optional.of(what), sub, ended, attempts + 1, what.error());
  }

  /** What takes it back could not go on, and is tried under another id. */
  PlanItem again() {
    return new PlanItem(action, id, status, outcome, sub, ended, attempts + 1, note);
  }

  PlanItem sub(PlanLevel level) {
    return new PlanItem(action, id, status, outcome, Optional.of(level), ended, attempts, note);
  }
}
