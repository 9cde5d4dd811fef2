package dev.colony.blackboard.protocol;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A form of keys, such as {@code request:run:{id}}: fixed text and named parts. A part is 1 to 128
 * characters of {@code [A-Za-z0-9._~-]}, and two parts never touch, so that each key has one
 * reading. Immutable.
 */
public final class KeyTemplate {

  private static final String PART = "[A-Za-z0-9._~-]{1,128}";
  private static final Pattern VALID_PART = Pattern.compile(PART);
  private static final Pattern NAME = Pattern.compile("\\{([a-z][A-Za-z0-9]*)}");

  private final String text;
  private final List<String> names;
  private final Pattern keys;

  private KeyTemplate(String text, List<String> names, Pattern keys) {
    this.text = text;
    this.names = names;
    this.keys = keys;
  }

  /**
   * Reads a template.
   *
   * @param text with the names of its parts in braces, each name once; what stands between two
   *     parts holds a character that no part may hold, a colon for instance
   * @throws IllegalArgumentException if keys of this form would be invalid or ambiguous
   */
  public static KeyTemplate of(String text) {
    List<String> names = new ArrayList<>();
    StringBuilder regex = new StringBuilder();
    Matcher part = NAME.matcher(text);
    int end = 0;
    while (part.find()) {
      String between = text.substring(end, part.start());
      check(
          names.isEmpty() || !between.isEmpty() && !VALID_PART.matcher(between).matches(),
          text,
          "nothing keeps {" + part.group(1) + "} apart from the part before it");
      names.add(part.group(1));
      regex.append(Pattern.quote(between)).append('(').append(PART).append(')');
      end = part.end();
    }
    regex.append(Pattern.quote(text.substring(end)));
    check(new HashSet<>(names).size() == names.size(), text, "a name stands there twice");
    String sample = NAME.matcher(text).replaceAll("x");
    check(sample.indexOf('{') < 0 && sample.indexOf('}') < 0, text, "a brace belongs to no part");
    EntryKey.check(sample);
    return new KeyTemplate(text, List.copyOf(names), Pattern.compile(regex.toString()));
  }

  private static void check(boolean holds, String text, String wrong) {
    if (!holds) {
      throw new IllegalArgumentException("the key template \"" + text + "\" is refused: " + wrong);
    }
  }

  /** In their order. */
  public List<String> names() {
    return names;
  }

  /**
   * The key with these parts; parts that the template does not name are passed over.
   *
   * @throws IllegalArgumentException if a part is missing or invalid
   */
  public String format(Map<String, String> parts) {
    return NAME.matcher(text)
        .replaceAll(
            part -> Matcher.quoteReplacement(part(part.group(1), parts.get(part.group(1)))));
  }

  /** The parts by their names, if this is a key of this form. */
  public Optional<Map<String, String>> parse(String key) {
    Matcher matcher = keys.matcher(key);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Map<String, String> parts = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      parts.put(names.get(i), matcher.group(i + 1));
    }
    return Optional.of(parts);
  }

  /** Matches every key of this form. A star takes colons too, so {@link #parse} has the say. */
  public KeyGlob pattern() {
    return pattern(Map.of());
  }

  /**
   * Matches every key of this form with these parts; parts that the template does not name are
   * passed over.
   *
   * @throws IllegalArgumentException if a part is invalid
   */
  public KeyGlob pattern(Map<String, String> fixed) {
    return new KeyGlob(
        NAME.matcher(text)
            .replaceAll(part -> {
              String value = fixed.get(part.group(1));
              return value == null ? "*" : Matcher.quoteReplacement(part(part.group(1), value));
            }));
  }

  @Override
  public String toString() {
    return text;
  }

  private static String part(String name, String part) {
    if (part == null || !VALID_PART.matcher(part).matches()) {
      throw new IllegalArgumentException(
          name + " must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, but is: " + part);
    }
    return part;
  }
}
