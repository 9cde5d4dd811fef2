package dev.colony.core.lifecycle;

/**
 * Where an agent lives that has moved.
 *
 * @param unit the placement unit
 * @param known whether the directory has this home, too; nothing else is done before it does
 */
public record Home(int unit, boolean known) {

  public Home {
    if (unit < 0) {
      throw new IllegalArgumentException("placement units are counted from 0, not: " + unit);
    }
  }
}
