package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What a benchmark of placement found.
 *
 * @param groups of pages that were warmed, each with an agent bound to it
 */
public record PlacementReport(
    int nodes, int groups, int pages, long sizeTokens, List<Round> rounds) {

  /**
   * One policy's part.
   *
   * @param warmTokens what each node's replica held when the agents were placed, in the order of
   *     the nodes' addresses
   * @param firstCalls the agents that made their first call
   * @param hits those whose page was resident in the replica of their own node then
   */
  public record Round(String policy, List<Long> warmTokens, int firstCalls, int hits) {

    public double share() {
      return (double) hits / firstCalls;
    }

    /** The share of all warm tokens that each node held, the largest first. */
    List<Long> warmPercent() {
      double all = warmTokens.stream().mapToLong(Long::longValue).sum();
      return warmTokens.stream()
          .map(tokens -> Math.round(100 * tokens / all))
          .sorted(Comparator.reverseOrder())
          .toList();
    }
  }

  /** What placing every unit anywhere comes to, each page being resident on one node. */
  double byChance() {
    return 1.0 / nodes;
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("nodes", nodes)
            .put("groups", groups)
            .put("pages", pages)
            .put("tokens", sizeTokens)
            .put("byChance", rounded(byChance()));
    ArrayNode policies = json.putArray("policies");
    for (Round round : rounds) {
      ObjectNode one =
          policies
              .addObject()
              .put("policy", round.policy())
              .put("firstCalls", round.firstCalls())
              .put("hits", round.hits())
              .put("share", rounded(round.share()));
      ArrayNode warm = one.putArray("warmTokens");
      round.warmTokens().forEach(warm::add);
    }
    return json.toString();
  }

  /** A table, one line a policy. */
  public String toText() {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%,d agents, each bound to one of %,d groups, %,d pages, %,d tokens; %d nodes%n"
                    + "  %-10s %-22s %11s %8s %8s%n",
                groups,
                groups,
                pages,
                sizeTokens,
                nodes,
                "placement",
                "warm on the nodes, %",
                "first calls",
                "hits",
                "share"));
    for (Round round : rounds) {
      String warm =
          round.warmPercent().stream().map(String::valueOf).collect(Collectors.joining(" / "));
      text.append(
          String.format(
              Locale.ROOT,
              "  %-10s %-22s %,11d %,8d %8.2f%n",
              round.policy(),
              warm,
              round.firstCalls(),
              round.hits(),
              round.share()));
    }
    return text.append(
            String.format(
                Locale.ROOT,
                "A hit: at its first call an agent's page was in the replica of its own node."
                    + " By chance: %.2f.",
                byChance()))
        .toString();
  }

  private static double rounded(double share) {
    return Math.round(share * 1000) / 1000.0;
  }
}
