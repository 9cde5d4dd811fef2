package dev.colony.cli.chaos;

/**
 * An external action as the world saw it.
 *
 * @param key the idempotency key that it was done under
 */
record Deed(Errand.Kind kind, String run, int step, String key) {

  /** One line without its end. */
  String toLine() {
    return kind + "\t" + run + "\t" + step + "\t" + key;
  }

  static Deed ofLine(String line) {
    String[] parts = line.split("\t", -1);
    return new Deed(Errand.Kind.valueOf(parts[0]), parts[1], Integer.parseInt(parts[2]), parts[3]);
  }
}
