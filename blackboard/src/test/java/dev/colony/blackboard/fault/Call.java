package dev.colony.blackboard.fault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Position;
import java.util.Map;
import java.util.Optional;

/**
 * A call, and what its caller knows of it.
 *
 * @param name of its own: all that it does is attributed to it
 * @param asked what was to be done to each key: a value, or empty to delete it
 * @param request whether it goes to an inbox too
 */
record Call(String name, Map<String, Optional<JsonNode>> asked, boolean request, Answer answer) {

  /** What the caller was told. */
  sealed interface Answer {}

  /**
   * It took effect.
   *
   * @param at where the events of some keys are
   */
  record Done(Map<String, Position> at) implements Answer {}

  /** It had no effect: a conflict, or nothing to delete. */
  record Nothing() implements Answer {}

  /** It failed in a way that leaves open whether it took effect. */
  record Unknown(String why) implements Answer {}
}
