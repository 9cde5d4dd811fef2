package dev.colony.blackboard;

/** Where a subscription begins. */
public sealed interface SubscribeFrom {

  /** With the first event stored after the subscription is established. */
  record Now() implements SubscribeFrom {}

  /** Right after this position; {@link Position#BEGINNING} for all that is retained. */
  record After(Position position) implements SubscribeFrom {}

  static SubscribeFrom now() {
    return new Now();
  }

  static SubscribeFrom after(Position position) {
    return new After(position);
  }

  static SubscribeFrom beginning() {
    return new After(Position.BEGINNING);
  }
}
