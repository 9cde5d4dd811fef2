package dev.colony.agent.suspension;

import java.util.regex.Pattern;

/** The names that runs and applications give to signals and to what they ask for. */
final class Names {

  private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

  private Names() {}

  /**
   * @throws IllegalArgumentException if it is none
   */
  static void check(String what, String name) {
    if (!SHAPE.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a " + what + " has 1 to 128 characters of [A-Za-z0-9._~-], which this is not: " + name);
    }
  }
}
