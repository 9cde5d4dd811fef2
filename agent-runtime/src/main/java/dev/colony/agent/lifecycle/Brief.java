package dev.colony.agent.lifecycle;

/** Reasons as they are journaled: one line of bounded length, whatever agent code made of them. */
final class Brief {

  static final int LONGEST = 2_000;

  private Brief() {}

  static String line(String text) {
    String line = text.length() > LONGEST ? text.substring(0, LONGEST) + "..." : text;
    return line.replaceAll("\\R+", " ");
  }
}
