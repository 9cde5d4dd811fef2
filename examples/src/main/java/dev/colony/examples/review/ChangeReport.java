package dev.colony.examples.review;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a review of a change has found.
 *
 * @param change what was reviewed, as in {@code HEAD~1..HEAD}
 * @param rules that it was held against, in their order; findings name them by their numbers from 1
 * @param judged whether a model was asked
 * @param findings the gravest first
 * @param reviewed how many files were looked at
 * @param notReviewed files that were not, with the reason
 * @param elsewhere where what was changed is used outside of the change
 * @param dropped findings of the model of lines that it was not shown
 */
public record ChangeReport(
    String change,
    List<String> rules,
    boolean judged,
    List<Finding> findings,
    int reviewed,
    List<NotReviewed> notReviewed,
    List<Use> elsewhere,
    int dropped) {

  /** How much a finding matters. */
  public enum Severity {
    HIGH,
    MEDIUM,
    LOW
  }

  /**
   * A line that breaks a rule.
   *
   * @param line in the new file, or of a line that was taken away in the old one
   * @param rule its number from 1
   * @param text of the line
   * @param by {@code pattern} where the rule has one that the line fits, or {@code model}
   */
  public record Finding(
      String file, int line, int rule, Severity severity, String problem, String text, String by) {}

  /** A file that was not reviewed. */
  public record NotReviewed(String file, String reason) {}

  /** Where something is used that was changed. */
  public record Use(String symbol, String changedIn, String place) {}

  /** As text for people, a line each. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("%s: %d files reviewed, %d findings".formatted(change, reviewed, findings.size()));
    for (Finding one : findings) {
      lines.add(
          "%s  %s:%d  %s"
              .formatted(
                  one.severity().name().toLowerCase(Locale.ROOT),
                  one.file(),
                  one.line(),
                  one.problem().strip().replaceAll("\\s+", " ")));
      lines.add("    " + one.text().strip());
      lines.add("    rule %d: %s".formatted(one.rule(), rules.get(one.rule() - 1)));
    }
    if (!elsewhere.isEmpty()) {
      lines.add("Used outside of the change");
      elsewhere.forEach(
          use -> lines.add("  %s (%s)  %s".formatted(use.symbol(), use.changedIn(), use.place())));
    }
    if (!notReviewed.isEmpty()) {
      lines.add("Not reviewed");
      notReviewed.forEach(one -> lines.add("  %s: %s".formatted(one.file(), one.reason())));
    }
    if (dropped > 0) {
      lines.add(dropped + " findings quoted no line of the change, and were dropped");
    }
    if (!judged) {
      lines.add("No model has looked at it: only rules with a pattern were applied");
    }
    return lines;
  }
}
