package dev.colony.bench.engine;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What was decided of a recorded request, and what a simulator made of it.
 *
 * @param replica from 0
 * @param arrivedAt in seconds
 * @param notBefore seconds before which it was held back; 0 where it was not
 * @param after the requests that had to end before it went
 * @param drop blocks that its replica was told to evict next as it went
 * @param dropAfter the same as it ended
 * @param hitBlocks of its prompt that were cached
 * @param firstTokenSeconds from its arrival
 */
public record Decision(
    int replica,
    double arrivedAt,
    double notBefore,
    int[] after,
    int[] drop,
    int[] dropAfter,
    int hitBlocks,
    double firstTokenSeconds) {

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Decision of(JsonNode line) {
    if (!line.path("replica").isInt()
        || !line.path("arrive").isNumber()
        || !line.path("hit_blocks").isInt()
        || !line.path("ttft").isNumber()) {
      throw new IllegalArgumentException(
          "no decision with what came of it: replica, arrive, hit_blocks and ttft are wanted");
    }
    return new Decision(
        line.path("replica").asInt(),
        line.path("arrive").asDouble(),
        line.path("not_before").asDouble(),
        TracedCall.ints(line.path("after")),
        TracedCall.ints(line.path("drop")),
        TracedCall.ints(line.path("drop_after")),
        line.path("hit_blocks").asInt(),
        line.path("ttft").asDouble());
  }
}
