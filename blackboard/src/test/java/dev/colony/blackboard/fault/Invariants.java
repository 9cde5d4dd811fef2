package dev.colony.blackboard.fault;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Which invariants were looked at, and where each did not hold. */
final class Invariants {

  private static final int SHOWN = 5;

  private final Map<String, List<String>> broken = new LinkedHashMap<>();

  void check(String name, boolean holds, Supplier<String> otherwise) {
    List<String> found = broken.computeIfAbsent(name, any -> new ArrayList<>());
    if (!holds) {
      found.add(otherwise.get());
    }
  }

  /** Prints them all by their names, and fails if one does not hold. */
  void report(String of) {
    StringBuilder text = new StringBuilder(of);
    broken.forEach((name, found) -> {
      text.append(found.isEmpty() ? "\n  holds: " : "\n  BROKEN: ").append(name);
      found.stream().limit(SHOWN).forEach(one -> text.append("\n    ").append(one));
      if (found.size() > SHOWN) {
        text.append("\n    and ").append(found.size() - SHOWN).append(" more");
      }
    });
    System.out.println(text);
    if (broken.values().stream().anyMatch(found -> !found.isEmpty())) {
      throw new AssertionError(text.toString());
    }
  }
}
