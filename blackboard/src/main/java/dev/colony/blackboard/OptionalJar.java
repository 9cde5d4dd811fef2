package dev.colony.blackboard;

/**
 * A jar that a part of Colony needs, and that does not come with the part: most programs leave the
 * part alone. {@code colony-bom} names its version.
 *
 * @param artifact group and artifact, as a build names them
 * @param type a class in it
 */
public record OptionalJar(String artifact, String type) {

  /** Whether the class path has it. */
  public boolean present() {
    try {
      Class.forName(type, false, OptionalJar.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }

  /**
   * @param part what needs it
   * @throws IllegalArgumentException if the class path lacks it, in one line that names it
   */
  public void require(String part) {
    if (!present()) {
      throw new IllegalArgumentException(missing(part));
    }
  }

  /** What a part says that cannot be had without it. */
  public String missing(String part) {
    return part + " needs " + artifact + " on the class path: add that dependency";
  }
}
