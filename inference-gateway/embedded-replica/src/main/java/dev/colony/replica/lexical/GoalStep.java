package dev.colony.replica.lexical;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One thing that a goal asks for, in the order of its text.
 *
 * @param text what is asked; of a repeated one what is asked for each
 * @param each what it is repeated for; empty for one that is done once
 */
record GoalStep(String text, Optional<String> each) {

  /** Where a goal is cut, but within quotation marks. */
  private static final Pattern CUT =
      Pattern.compile("\\s*;\\s+(?:then |and )?|,? then |, and then |(?<=[.!?])\\s+(?=[A-Z])");

  private static final Pattern EACH =
      Pattern.compile(
          "^(?:for|of) each (?:of the )?([\\w-]+(?: [\\w-]+){0,3}?)[:,] +(.*)$",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"");

  /**
   * The steps of a goal. What follows {@code for each FILE:} belongs to it up to the goal's end.
   */
  static List<GoalStep> of(String goal) {
    List<GoalStep> steps = new ArrayList<>();
    String rest = goal.strip();
    while (!rest.isEmpty()) {
      Matcher each = EACH.matcher(rest);
      if (each.matches()) {
        steps.add(new GoalStep(each.group(2).strip(), Optional.of(each.group(1).strip())));
        break;
      }
      int[] cut = cut(rest);
      String text = rest.substring(0, cut[0]).strip().replaceFirst("[.!]$", "");
      if (!text.isEmpty()) {
        steps.add(new GoalStep(text, Optional.empty()));
      }
      rest = rest.substring(cut[1]).strip();
    }
    return steps;
  }

  /** Whether what is asked for each is itself repeated for parts of it. */
  boolean nested() {
    return of(text).stream().anyMatch(one -> one.each().isPresent());
  }

  private static int[] cut(String text) {
    List<int[]> quotes = new ArrayList<>();
    Matcher quoted = QUOTED.matcher(text);
    while (quoted.find()) {
      quotes.add(new int[] {quoted.start(), quoted.end()});
    }
    Matcher cut = CUT.matcher(text);
    while (cut.find()) {
      int at = cut.start();
      if (quotes.stream().noneMatch(one -> one[0] < at && at < one[1])) {
        return new int[] {at, cut.end()};
      }
    }
    return new int[] {text.length(), text.length()};
  }
}
