package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Whose claim on an agent is the last.
 *
 * @param incarnation counts the claims from 1; 0 before the first
 * @param node which made it
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Holder(long incarnation, String node) {

  static final Holder NOBODY = new Holder(0, "");

  public Holder {
    node = node == null ? "" : node;
  }
}
