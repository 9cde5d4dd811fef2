package dev.colony.examples.review;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rules that a change is held against: a list of Markdown, one item a rule. A rule that holds
 * an expression between slashes in backticks, as in <code>`/TODO/`</code>, is broken by each added
 * line that the expression of RE2 fits, without a model.
 */
public final class Rules {

  /** More rules are more than a model heeds. */
  private static final int MOST = 40;

  private static final java.util.regex.Pattern ITEM =
      java.util.regex.Pattern.compile("\\s{0,3}(?:[-*+]|\\d{1,3}[.)])\\s+(.*)");
  private static final java.util.regex.Pattern EXPRESSION =
      java.util.regex.Pattern.compile("`/(.+?)/`");

  private Rules() {}

  /** A rule, and the expression that breaks it where it has one. */
  record Rule(String text, Optional<Pattern> pattern) {}

  /**
   * The items of a list; lines that are indented go on with the item before.
   *
   * @throws IllegalArgumentException if there is none, or too many, in one line
   */
  public static List<String> items(String markdown) {
    List<String> rules = new ArrayList<>();
    boolean open = false;
    for (String line : markdown.split("\\R")) {
      java.util.regex.Matcher item = ITEM.matcher(line);
      if (item.matches()) {
        rules.add(item.group(1).strip());
        open = true;
      } else if (open && line.startsWith("  ") && !line.isBlank()) {
        rules.set(rules.size() - 1, rules.getLast() + " " + line.strip());
      } else {
        open = false;
      }
    }
    if (rules.isEmpty() || rules.size() > MOST) {
      throw new IllegalArgumentException(
          "rules are 1 to %d items of a list, not %d".formatted(MOST, rules.size()));
    }
    rules.forEach(Rules::rule);
    return rules;
  }

  /**
   * A rule.
   *
   * @throws IllegalArgumentException if its expression is none, in one line
   */
  static Rule rule(String text) {
    java.util.regex.Matcher expression = EXPRESSION.matcher(text);
    if (!expression.find()) {
      return new Rule(text, Optional.empty());
    }
    try {
      return new Rule(text, Optional.of(Pattern.compile(expression.group(1))));
    } catch (PatternSyntaxException bad) {
      throw new IllegalArgumentException(
          "the rule \"%s\" has no regular expression of RE2: %s"
              .formatted(text, bad.getMessage().replace('\n', ' ')));
    }
  }
}
