package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Whose claim on an agent is the last.
 *
 * @param incarnation counts the claims from 1; 0 before the first
 * @param node which made it
 * @param recoveries claims in a row, this one included, between which the agent has not got on
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Holder(
    long incarnation, String node, @JsonInclude(JsonInclude.Include.NON_DEFAULT) int recoveries) {

  static final Holder NONE = new Holder(0, "", 0);

  public Holder {
    node = node == null ? "" : node;
  }

  /** The same, after the agent has got on. */
  Holder progressed() {
    return recoveries == 0 ? this : new Holder(incarnation, node, 0);
  }
}
