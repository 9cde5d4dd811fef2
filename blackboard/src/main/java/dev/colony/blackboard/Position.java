package dev.colony.blackboard;

/**
 * Where an event stands in its scope's order. Positions of one scope only grow; those of different
 * scopes cannot be compared.
 */
public record Position(long major, long minor) implements Comparable<Position> {

  /** Before every event. */
  public static final Position BEGINNING = new Position(0, 0);

  /**
   * Reads {@link #toString} back: the id of a Redis stream entry.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Position parse(String id) {
    int dash = id.indexOf('-');
    if (dash < 0) {
      throw new IllegalArgumentException("not a position: " + id);
    }
    return new Position(
        Long.parseLong(id.substring(0, dash)), Long.parseLong(id.substring(dash + 1)));
  }

  @Override
  public int compareTo(Position other) {
    int byMajor = Long.compare(major, other.major);
    return byMajor != 0 ? byMajor : Long.compare(minor, other.minor);
  }

  @Override
  public String toString() {
    return major + "-" + minor;
  }
}
