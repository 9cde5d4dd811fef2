package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a simulator found of one policy.
 *
 * @param hits share of the blocks of all prompts that were cached
 * @param meanTtft seconds to the first token, waiting included
 * @param p99Ttft the same that one in a hundred exceeds
 * @param longestWait the same at most
 * @param session mean seconds of a session, where requests belong to sessions
 * @param touches requests that only renew what a cache holds
 */
record PolicyFigures(
    String policy,
    double hits,
    double meanTtft,
    double p99Ttft,
    double longestWait,
    OptionalDouble session,
    long touches) {

  /**
   * What one pool of all caches would hit in the order of the trace.
   *
   * @param lru where it evicts what was used longest ago
   * @param opt where it evicts what is used again last
   * @param endless where it evicts nothing
   */
  record Bounds(double lru, double opt, double endless) {

    static Bounds of(JsonNode printed) {
      return new Bounds(
          printed.path("pooled_lru").asDouble(),
          printed.path("pooled_opt").asDouble(),
          printed.path("infinite_shared").asDouble());
    }
  }

  /** Empty where the object does not have all figures. */
  static Optional<PolicyFigures> of(JsonNode printed) {
    for (String figure : new String[] {"hit", "ttft_mean", "ttft_p99", "ttft_max"}) {
      if (!printed.path(figure).isNumber()) {
        return Optional.empty();
      }
    }
    JsonNode session = printed.path("session_mean");
    return Optional.of(
        new PolicyFigures(
            printed.path("policy").asText(),
            printed.path("hit").asDouble(),
            printed.path("ttft_mean").asDouble(),
            printed.path("ttft_p99").asDouble(),
            printed.path("ttft_max").asDouble(),
            session.isNumber() ? OptionalDouble.of(session.asDouble()) : OptionalDouble.empty(),
            printed.path("touches").asLong()));
  }

  /**
   * What a policy is judged by: the time of a session where there are some, else the first token.
   */
  double seconds() {
    return session.orElse(meanTtft);
  }

  ObjectNode toJson() {
    ObjectNode json =
        JsonLines.JSON
            .createObjectNode()
            .put("policy", policy)
            .put("hits", hits)
            .put("meanTtftSeconds", meanTtft)
            .put("p99TtftSeconds", p99Ttft)
            .put("longestWaitSeconds", longestWait);
    session.ifPresent(seconds -> json.put("sessionSeconds", seconds));
    if (touches > 0) {
      json.put("touches", touches);
    }
    return json;
  }
}
