package dev.colony.bench.failover;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;

/**
 * What a benchmark of failover found.
 *
 * @param killed one of each round
 * @param terminated one of each round
 */
public record FailoverReport(
    FailoverLoad load, List<Absence> killed, List<Absence> terminated, RollingRestart rolling) {

  /** Whether all requests of the rolling restart were answered. */
  public boolean whole() {
    return rolling.failed() == 0;
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("rounds", load.rounds()).put("agents", load.agents());
    put(json.putObject("killed"), killed);
    put(json.putObject("terminated"), terminated);
    json.putObject("rollingRestart")
        .put("requests", rolling.requests())
        .put("failed", rolling.failed())
        .put("perSecond", load.perSecond())
        .put("seconds", rounded(rolling.seconds()))
        .put("p50Millis", rounded(rolling.percentile(0.5)))
        .put("p99Millis", rounded(rolling.percentile(0.99)))
        .put("maxMillis", rounded(rolling.percentile(1)));
    return json.toString();
  }

  private static void put(ObjectNode json, List<Absence> absences) {
    List<Double> last = sorted(absences);
    json.put("medianMillis", rounded(last.get(last.size() / 2)))
        .put("minMillis", rounded(last.getFirst()))
        .put("maxMillis", rounded(last.getLast()));
    ArrayNode rounds = json.putArray("rounds");
    for (Absence one : absences) {
      rounds
          .addObject()
          .put("node", one.node())
          .put("agents", one.agents())
          .put("firstMillis", rounded(one.firstMillis()))
          .put("medianMillis", rounded(one.medianMillis()))
          .put("lastMillis", rounded(one.lastMillis()));
    }
  }

  /** The figures, one a line. */
  public String toText() {
    return String.format(
        Locale.ROOT,
        """
        three nodes, %,d agents: until all agents of the node have answered a new run
          after SIGKILL     %s
          after SIGTERM     %s
        rolling restart of all three, %,d requests in %.0f s
          failed            %,d
          p50 %.0f ms, p99 %.0f ms, max %.0f ms\
        """,
        load.agents(),
        line(killed),
        line(terminated),
        rolling.requests(),
        rolling.seconds(),
        rolling.failed(),
        rolling.percentile(0.5),
        rolling.percentile(0.99),
        rolling.percentile(1));
  }

  private static String line(List<Absence> absences) {
    List<Double> last = sorted(absences);
    return String.format(
        Locale.ROOT,
        "median %.1f s, from %.1f to %.1f s in %d rounds",
        last.get(last.size() / 2) / 1e3,
        last.getFirst() / 1e3,
        last.getLast() / 1e3,
        last.size());
  }

  private static List<Double> sorted(List<Absence> absences) {
    return absences.stream().map(Absence::lastMillis).sorted().toList();
  }

  private static double rounded(double figure) {
    return Math.round(figure * 10) / 10.0;
  }
}
