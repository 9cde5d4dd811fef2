package dev.colony.examples.mapped;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Holds what a model quotes against lines that it was shown: the text decides, whatever blanks are
 * in it, and the number only chooses between equal lines.
 */
public final class Quotes {

  /** A line that was shown. */
  public record Line(String file, int number, String text) {}

  private final List<Line> lines;

  public Quotes(List<Line> lines) {
    this.lines = List.copyOf(lines);
  }

  /**
   * The line that is meant; empty where none reads so.
   *
   * @param file its path, which may lack directories at its beginning
   * @param text of the line or, of at least {@value #LEAST} characters, of a part of it
   */
  public Optional<Line> find(String file, int number, String text) {
    String wanted =
        plain(text.lines().map(String::strip).filter(one -> !one.isEmpty()).findFirst().orElse(""));
    if (wanted.isEmpty()) {
      return Optional.empty();
    }
    String path = file.strip();
    return lines.stream()
        .filter(line -> line.file().equals(path) || line.file().endsWith("/" + path))
        .filter(line -> says(plain(line.text()), wanted))
        .min(
            Comparator.comparing((Line line) -> !plain(line.text()).equals(wanted))
                .thenComparing(line -> Math.abs(line.number() - number)));
  }

  static final int LEAST = 12;

  private static boolean says(String line, String wanted) {
    return line.equals(wanted) || wanted.length() >= LEAST && line.contains(wanted);
  }

  private static String plain(String text) {
    return text.replaceAll("\\s+", "");
  }
}
