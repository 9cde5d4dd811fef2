package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * That an agent is suspended, and until when.
 *
 * @param number counts the agent's suspensions from 1: a resumption names the one that it ends, so
 *     that a late one ends no other
 * @param reason for people, one line; may be empty
 * @param until what ends it by itself; empty if only a caller does
 * @param at since when, by the clock of the node that journaled it
 * @param since from when its run has waited for room, over suspensions with the cause CAPACITY that
 *     no step came between; with any other cause the same as {@code at}
 * @param events whether writes that the agent handles end it too
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record Suspension(
    long number,
    SuspensionCause cause,
    String reason,
    Optional<ResumptionCondition> until,
    Instant at,
    Instant since,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean events) {

  public Suspension {
    if (number < 1) {
      throw new IllegalArgumentException("suspensions are numbered from 1, not: " + number);
    }
    Objects.requireNonNull(cause, "cause");
    reason = reason == null ? "" : reason;
    until = until == null ? Optional.empty() : until;
    Objects.requireNonNull(at, "at");
    since = since == null ? at : since;
  }

  /** One that no writes end, of an agent that did not wait before. */
  public Suspension(
      long number,
      SuspensionCause cause,
      String reason,
      Optional<ResumptionCondition> until,
      Instant at) {
    this(number, cause, reason, until, at, at, false);
  }

  /** What had an agent suspended. */
  public enum SuspensionCause {
    /** A caller asked for it. */
    EXPLICIT,
    /** Its run cannot go on by itself: it waits for others, for an event, for a time. */
    BLOCKED,
    /** Pages that it is bound to are in no cache any more. */
    PAGES,
    /** Its node has no room for it, or needs its room for an agent of higher priority. */
    CAPACITY,
    /** Its run waits for a person to say yes or no. */
    APPROVAL,
    /** Its run has spent what it may spend, and the blueprint says to ask for more. */
    BUDGET,
    /** Its tenant, its colony, or a tree of agents that it belongs to, is suspended as a whole. */
    SCOPE;

    /** Whether it lies in the open run, so that the suspension ends with the run. */
    public boolean ofRun() {
      return this != EXPLICIT && this != PAGES;
    }

    /** Whether the time of the agent's runs goes on meanwhile: they wait for what they chose to. */
    public boolean timed() {
      return this == BLOCKED || this == APPROVAL;
    }
  }

  /**
   * What a person said to something that a run asked for.
   *
   * @param request what was asked, as the run named it
   * @param granted whether it is allowed
   * @param by who said so
   * @param note for the run and for people; may be empty
   * @param at when, by the clock of the process that carried it here
   */
  public record Approval(String request, boolean granted, String by, String note, Instant at) {

    public Approval {
      Names.check("request", request);
      Objects.requireNonNull(by, "by");
      note = note == null ? "" : note;
      Objects.requireNonNull(at, "at");
    }
  }

  /** The names that runs and applications give to signals and to what they ask for. */
  static final class Names {

    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

    private Names() {}

    /**
     * @throws IllegalArgumentException if it is none
     */
    static void check(String what, String name) {
      if (!SHAPE.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "a "
                + what
                + " has 1 to 128 characters of [A-Za-z0-9._~-], which this is not: "
                + name);
      }
    }
  }
}
