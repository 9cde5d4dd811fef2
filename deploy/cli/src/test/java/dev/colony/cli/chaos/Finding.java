package dev.colony.cli.chaos;

import java.util.ArrayList;
import java.util.List;

/** What holding the evidence against one invariant came to. */
final class Finding {

  private final String invariant;
  private final String counted;
  private final List<String> violations = new ArrayList<>();
  private long checked;

  /**
   * @param counted what is counted, in the plural
   */
  Finding(String invariant, String counted) {
    this.invariant = invariant;
    this.counted = counted;
  }

  /** One more was looked at; it is a violation where it does not hold. */
  void check(boolean holds, String otherwise, Object... arguments) {
    checked++;
    if (!holds) {
      violations.add(otherwise.formatted(arguments));
    }
  }

  String invariant() {
    return invariant;
  }

  List<String> violations() {
    return List.copyOf(violations);
  }

  long checked() {
    return checked;
  }

  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(
            "%-28s %,8d %-24s %s"
                .formatted(
                    invariant,
                    checked,
                    counted,
                    violations.isEmpty() ? "holds" : violations.size() + " VIOLATIONS"));
    violations.stream().limit(20).forEach(one -> text.append("\n    ").append(one));
    return text.toString();
  }
}
