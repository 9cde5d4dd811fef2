package dev.colony.library.source;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A name in code.
 *
 * @param name its last part
 * @param around what it is qualified by, the innermost; empty where it is not
 */
record Symbol(String name, Optional<String> around) {

  private static final java.util.regex.Pattern NAME =
      java.util.regex.Pattern.compile("[\\p{L}\\p{N}_$-]*[\\p{L}\\p{N}_$][!?]?");

  /** Reads a name, brackets after it left out; empty where it is none. */
  static Optional<Symbol> of(String given) {
    String text = given.strip().replaceFirst("\\(.*", "");
    String[] parts = text.split("\\.|#|::|->", -1);
    String name = parts[parts.length - 1];
    if (!NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    String outer = parts.length > 1 ? parts[parts.length - 2] : "";
    return Optional.of(
        new Symbol(name, NAME.matcher(outer).matches() ? Optional.of(outer) : Optional.empty()));
  }

  /** The name alone. */
  Pattern pattern() {
    return Pattern.compile(Pattern.quote(name));
  }

  /** The lines that have the symbol as a whole word, each line once. */
  List<Integer> lines(MappedText file) {
    List<Integer> lines = new ArrayList<>();
    String text = file.text();
    int from = 0;
    while (true) {
      int at = text.indexOf(name, from);
      if (at < 0) {
        return lines;
      }
      if (isWord(text, at)) {
        int line = file.lineAt(at);
        lines.add(line);
        from = file.start(line + 1);
      } else {
        from = at + 1;
      }
    }
  }

  /** The index of the symbol's first occurrence as a whole word in a line, or -1. */
  int in(String line) {
    for (int at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
      if (isWord(line, at)) {
        return at;
      }
    }
    return -1;
  }

  private boolean isWord(String text, int at) {
    int end = at + name.length();
    return (at == 0 || !part(text.charAt(at - 1)))
        && (end == text.length() || !part(text.charAt(end)));
  }

  private static boolean part(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$';
  }
}
