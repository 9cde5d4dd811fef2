package dev.colony.agent.suspension;

import java.time.Instant;
import java.util.Objects;

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
