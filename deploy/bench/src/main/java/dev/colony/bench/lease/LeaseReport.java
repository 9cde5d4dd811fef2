package dev.colony.bench.lease;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * What a benchmark of leases found.
 *
 * @param cacheBlocks of each replica
 * @param rounds one of each mode
 */
public record LeaseReport(LeaseLoad load, int nodes, int cacheBlocks, List<Round> rounds) {

  /**
   * The work in one mode.
   *
   * @param sessionSeconds from when an agent was asked until it had ended, on average
   * @param allSeconds until all had ended
   * @param longestWaitSeconds from when a turn could begin until it was answered
   * @param warmTurns the part of the turns after an agent's first that found half of their prompts
   *     or more cached
   * @param cachedTokens the part of all prompts' tokens that was cached
   * @param promptTokens of all prompts
   * @param mostHeld agents that waited for a lease at the same time, at most
   * @param granted leases
   * @param pagedOut agents that had to leave a replica for others
   * @param forced agents that were loaded because they had waited for long
   */
  public record Round(
      Mode mode,
      double sessionSeconds,
      double allSeconds,
      double longestWaitSeconds,
      double warmTurns,
      double cachedTokens,
      long promptTokens,
      int mostHeld,
      long granted,
      long pagedOut,
      long forced) {}

  /** One object on one line. */
  public String toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("nodes", nodes)
        .put("agents", load.agents())
        .put("turns", load.turns())
        .put("workingSetTokens", load.workingSetTokens())
        .put("cacheBlocks", cacheBlocks)
        .put("overcommit", load.overcommit())
        .put("seed", load.seed());
    for (Round round : rounds) {
      json.withArray("/rounds")
          .addObject()
          .put("mode", round.mode().name().toLowerCase(Locale.ROOT))
          .put("sessionSeconds", rounded(round.sessionSeconds()))
          .put("allSeconds", rounded(round.allSeconds()))
          .put("longestWaitSeconds", rounded(round.longestWaitSeconds()))
          .put("warmTurns", rounded(round.warmTurns()))
          .put("cachedTokens", rounded(round.cachedTokens()))
          .put("promptTokens", round.promptTokens())
          .put("mostHeld", round.mostHeld())
          .put("granted", round.granted())
          .put("pagedOut", round.pagedOut())
          .put("forced", round.forced());
    }
    return json.toString();
  }

  /** A table, a line for each mode. */
  public String toText() {
    StringJoiner text = new StringJoiner("\n");
    text.add(
        String.format(
            Locale.ROOT,
            "%d nodes, caches of %,d blocks, %d agents of %d turns, %,d tokens each: %.1f times"
                + " the caches; seed %d",
            nodes,
            cacheBlocks,
            load.agents(),
            load.turns(),
            load.workingSetTokens(),
            load.overcommit(),
            load.seed()));
    text.add(
        String.format(
            Locale.ROOT,
            "%-8s  %9s  %7s  %13s  %5s  %6s  %9s  %7s  %9s  %6s",
            "calls",
            "session s",
            "all s",
            "longest wait s",
            "warm",
            "cached",
            "most held",
            "granted",
            "paged out",
            "forced"));
    for (Round round : rounds) {
      text.add(
          String.format(
              Locale.ROOT,
              "%-8s  %9.1f  %7.1f  %14.1f  %5.2f  %6.2f  %9d  %7d  %9d  %6d",
              round.mode(),
              round.sessionSeconds(),
              round.allSeconds(),
              round.longestWaitSeconds(),
              round.warmTurns(),
              round.cachedTokens(),
              round.mostHeld(),
              round.granted(),
              round.pagedOut(),
              round.forced()));
    }
    return text.toString();
  }

  private static double rounded(double figure) {
    return Math.round(figure * 1000) / 1000.0;
  }
}
