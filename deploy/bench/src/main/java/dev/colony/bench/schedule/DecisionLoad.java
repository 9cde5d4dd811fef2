package dev.colony.bench.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.JsonLines;

/**
 * What the scheduler decides on.
 *
 * @param replicas how many
 * @param agents that ask, again and again; one that ends is followed by another
 * @param pages of an agent's working set, on average; from 20
 * @param cachePages that a replica holds
 * @param warmup decisions before those that are timed
 * @param decisions that are timed, from 1
 * @param seed of agents and times
 */
public record DecisionLoad(
    int replicas, int agents, int pages, int cachePages, int warmup, int decisions, long seed) {

  /** What a report's object begins with. */
  ObjectNode toJson() {
    return JsonLines.JSON
        .createObjectNode()
        .put("replicas", replicas)
        .put("agents", agents)
        .put("pages", agents * (long) pages)
        .put("cachePages", cachePages);
  }
}
