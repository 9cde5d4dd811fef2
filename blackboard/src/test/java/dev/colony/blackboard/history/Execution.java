package dev.colony.blackboard.history;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Position;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A transaction or a call as its caller saw it.
 *
 * @param name of its own; what it wrote is attributed to it
 * @param begun a tick of the history's clock before it began
 * @param ended a tick after it had answered
 * @param outcome how it ended
 * @param reads what the committing run of its body read of others' entries, in order
 * @param writes what it left to be done to each key: a value, or empty to remove it
 * @param answers what it was told of its writes, where it was told
 * @param complaints what was wrong already while it ran
 */
record Execution(
    String name,
    long begun,
    long ended,
    Outcome outcome,
    List<Observed> reads,
    Map<String, Optional<JsonNode>> writes,
    Map<String, Answer> answers,
    List<String> complaints) {

  /** How it ended. */
  enum Outcome {
    COMMITTED,
    ABORTED,
    /** Its retries were used up. */
    GAVE_UP
  }

  /**
   * What was said of one write.
   *
   * @param happened false where an absent entry was to be removed
   * @param at where its event is, if that was said
   */
  record Answer(boolean happened, Optional<Position> at) {}
}
