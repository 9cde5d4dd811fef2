package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.stream.ConsciousnessStream.Rendered;
import dev.colony.blackboard.value.Text;
import java.util.Locale;

/** A JSON value as one line of bounded length: a string as it is, anything else as compact JSON. */
public final class JsonPreview {

  private static final String MORE = "…";

  private JsonPreview() {}

  /**
   * @param mostChars at least 1, the mark of what is left out included
   */
  public static String of(JsonNode value, int mostChars) {
    return cut(value.isTextual() ? value.textValue() : value.toString(), mostChars);
  }

  /** A text as one line of bounded length. */
  public static String cut(String text, int mostChars) {
    String line = text.length() <= mostChars ? text : Text.head(text, mostChars - 1) + MORE;
    return line.replaceAll("[\\r\\n\\t]+", " ");
  }

  /**
   * As much of a value as is to be shown, its lines kept and indented, with what is left out:
   * {@code [600 of 3,007 characters]}.
   *
   * @param mostChars at least 1, what is said of the rest not included
   */
  static String whole(JsonNode value, int mostChars) {
    String text = value.isTextual() ? value.textValue() : value.toString();
    String shown = Rendered.entry(Text.head(text, mostChars));
    return text.length() <= mostChars
        ? shown
        : String.format(Locale.ROOT, "%s [%,d of %,d characters]", shown, mostChars, text.length());
  }
}
