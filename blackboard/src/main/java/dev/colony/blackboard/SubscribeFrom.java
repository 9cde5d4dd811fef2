package dev.colony.blackboard;

/** Where a subscription begins. */
public sealed interface SubscribeFrom {

  /** A beginning that needs no memory of the subscriber. */
  sealed interface Start extends SubscribeFrom {}

  /** With the first event stored after the subscription is established. */
  record Now() implements Start {}

  /** Right after this position; {@link Position#BEGINNING} for all that is retained. */
  record After(Position position) implements Start {}

  /**
   * Right after what was last acknowledged under this name, see {@link Blackboard#acknowledge}. The
   * events after it are retained for it, up to the limits of the settings. Its name is of its
   * scope; two subscribers under one name each get all events.
   *
   * @param name 1 to 128 characters of {@code [A-Za-z0-9._~-]}
   * @param first where it begins when nothing is known of the name; kept from then on
   */
  record Durable(String name, Start first) implements SubscribeFrom {

    public Durable {
      check(name);
    }

    /**
     * Returns the name if it is valid.
     *
     * @throws IllegalArgumentException if it is not
     */
    public static String check(String name) {
      if (!name.matches("[A-Za-z0-9._~-]{1,128}")) {
        throw new IllegalArgumentException(
            "the name of a subscription must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, but"
                + " is: "
                + name);
      }
      return name;
    }
  }

  static Start now() {
    return new Now();
  }

  static Start after(Position position) {
    return new After(position);
  }

  static Start beginning() {
    return new After(Position.BEGINNING);
  }

  /** A durable subscription that begins now when it is made for the first time. */
  static SubscribeFrom durable(String name) {
    return new Durable(name, now());
  }
}
