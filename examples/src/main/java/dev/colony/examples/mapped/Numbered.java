package dev.colony.examples.mapped;

/** Code as prompts show it: each line behind its number. */
public final class Numbered {

  private Numbered() {}

  /** The lines, numbered from the first one's number on. */
  public static String lines(String text, int firstLine) {
    StringBuilder numbered = new StringBuilder();
    int number = firstLine;
    for (String line : text.split("\n", -1)) {
      numbered.append("%5d  ".formatted(number++)).append(line).append('\n');
    }
    return numbered.toString();
  }
}
