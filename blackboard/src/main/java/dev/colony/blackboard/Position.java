package dev.colony.blackboard;

/**
 * Where an event stands in its scope's order. Positions of one scope only grow; those of different
 * scopes cannot be compared.
 *
 * @param millis when the event happened, by the cluster time; never less than the one before it
 * @param ordinal how many events the scope had with this one; one more for each
 */
public record Position(long millis, long ordinal) implements Comparable<Position> {

  /** Before every event. */
  public static final Position BEGINNING = new Position(0, 0);

  /**
   * Reads {@link #toString} back.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Position parse(String text) {
    int dash = text.indexOf('-');
    if (dash < 0) {
      throw new IllegalArgumentException("not a position: " + text);
    }
    return new Position(
        Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
  }

  @Override
  public int compareTo(Position other) {
    int byMillis = Long.compare(millis, other.millis);
    return byMillis != 0 ? byMillis : Long.compare(ordinal, other.ordinal);
  }

  /** As the id of a Redis stream entry is written: {@code millis-ordinal}. */
  @Override
  public String toString() {
    return millis + "-" + ordinal;
  }
}
