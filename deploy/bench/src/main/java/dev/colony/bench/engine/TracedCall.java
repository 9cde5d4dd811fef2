package dev.colony.bench.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/**
 * A recorded request, by one line of a trace in the form of Mooncake's.
 *
 * @param atSeconds when it arrives, where nothing has to end before it
 * @param promptTokens at least 1
 * @param replyTokens at least 1
 * @param blocks names of its prompt's blocks, chained: equal names mean equal beginnings; the last
 *     may be of a part of a block
 * @param session that it belongs to, where it belongs to one
 * @param after the numbers of the requests that have to end before it arrives
 * @param thinkSeconds between the last of these and its arrival
 */
public record TracedCall(
    double atSeconds,
    int promptTokens,
    int replyTokens,
    int[] blocks,
    Optional<String> session,
    int[] after,
    double thinkSeconds) {

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException if it is no request
   */
  static TracedCall of(JsonNode line, double speed) {
    if (!line.path("input_length").isInt() || !line.path("hash_ids").isArray()) {
      throw new IllegalArgumentException("no request: input_length and hash_ids are wanted");
    }
    return new TracedCall(
        line.path("timestamp").asDouble() / 1000 / speed,
        Math.max(1, line.path("input_length").asInt()),
        Math.max(1, line.path("output_length").asInt(1)),
        ints(line.path("hash_ids")),
        Optional.ofNullable(line.path("session_id").textValue()),
        ints(line.path("deps")),
        line.path("think_ms").asDouble() / 1000);
  }

  /** Empty for what is no list. */
  static int[] ints(JsonNode list) {
    int[] ints = new int[list.size()];
    for (int i = 0; i < ints.length; i++) {
      ints[i] = list.path(i).asInt();
    }
    return ints;
  }
}
