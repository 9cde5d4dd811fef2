package dev.colony.cli.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.value.Text;
import java.util.stream.Collectors;

/**
 * Text that does nothing to a terminal but stand there. What agents write may hold anything:
 * sequences that move the cursor or set a title, marks that turn the direction of the line,
 * characters that no terminal shows.
 */
public final class Printable {

  private Printable() {}

  /**
   * The text with each control, format, private and line separator character, and each half of a
   * character, as JSON escapes it ({@code \}{@code u001b}). JSON on one line stays the same JSON,
   * for these occur in its strings only.
   */
  public static String of(String text) {
    if (text.codePoints().noneMatch(Printable::escaped)) {
      return text;
    }
    StringBuilder shown = new StringBuilder(text.length() + 16);
    text.codePoints().forEach(c -> append(shown, c));
    return shown.toString();
  }

  /** The same with its line ends, each as a plain one. */
  public static String lines(String text) {
    return text.lines().map(Printable::of).collect(Collectors.joining("\n"))
        + (text.endsWith("\n") ? "\n" : "");
  }

  /** JSON on one line, with nothing in it that a terminal takes for a command. */
  public static String line(JsonNode json) {
    return of(json.toString());
  }

  /**
   * The beginning of the printable text.
   *
   * @param length how many characters at most; a text that has more ends with an ellipsis in it
   */
  public static String beginning(String text, int length) {
    if (text.length() <= length) {
      String whole = of(text);
      return whole.length() <= length ? whole : cut(whole, length);
    }
    return cut(of(Text.head(text, length)), length);
  }

  private static String cut(String shown, int length) {
    return Text.head(shown, length - 1) + "…";
  }

  private static void append(StringBuilder shown, int c) {
    if (escaped(c)) {
      for (char unit : Character.toChars(c)) {
        shown.append("\\u%04x".formatted((int) unit));
      }
    } else {
      shown.appendCodePoint(c);
    }
  }

  private static boolean escaped(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
