package dev.colony.library.hook;

import dev.colony.inference.InferenceReply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Totals by name, of the names that were used last. Used by one thread at a time. */
final class TokenLedger {

  /** The totals of one name, as they are kept. */
  record Line(String name, TokenTotals totals) {}

  /** Names that are remembered; the totals of one that comes back later begin again. */
  static final int MAX_NAMES = 32;

  private final Map<String, TokenTotals> byName = new LinkedHashMap<>();

  TokenTotals of(String name) {
    return byName.getOrDefault(name, TokenTotals.NONE);
  }

  /** Counts a reply; the name is the one used last from now on. */
  TokenTotals add(String name, InferenceReply reply) {
    TokenTotals grown = of(name).plus(reply);
    byName.remove(name);
    byName.put(name, grown);
    if (byName.size() > MAX_NAMES) {
      byName.remove(byName.keySet().iterator().next());
    }
    return grown;
  }

  /** All totals, the name that was used last at the end. */
  List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    byName.forEach((name, totals) -> lines.add(new Line(name, totals)));
    return lines;
  }

  void restore(List<Line> lines) {
    byName.clear();
    lines.forEach(line -> byName.put(line.name, line.totals));
  }
}
