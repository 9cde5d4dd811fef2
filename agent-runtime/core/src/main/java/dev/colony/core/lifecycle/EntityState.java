package dev.colony.core.lifecycle;

/**
 * Where an agent's actor stands. {@link EntityMachine} says what leads from each to which other.
 */
public sealed interface EntityState {

  /** The number of the last claim that this actor has journaled; 0 before its first. */
  long claimed();

  /** What the actor is about to do besides, which a failure of the journal does not change. */
  enum Departure {
    /** It stays. */
    NONE,
    /** It has asked its shard to stop it. */
    PASSIVATING,
    /** The same, and something has happened since that it is to be started again for. */
    MISSED,
    LEAVING
  }

  /** The journal is being read. */
  record Recovering(long claimed, Departure departure) implements EntityState {

    /** Of an actor that has just been started. */
    public static final Recovering STARTED = new Recovering(0, Departure.NONE);
  }

  /**
   * The journal is read, and no claim is durable yet.
   *
   * @param first whether the first command may be journaled in one append with the claim
   * @param alive whether the agent had not come to its end when the journal was read
   */
  record Claiming(long claimed, Departure departure, boolean first, boolean alive)
      implements EntityState {}

  /** The agent is claimed: it takes commands and works. */
  record Ready(long claimed, boolean alive) implements EntityState {}

  /**
   * The actor has asked its shard to stop it. It takes commands and begins nothing.
   *
   * @param missed whether it is to be started again for what came meanwhile
   */
  record Passivating(long claimed, boolean alive, boolean missed) implements EntityState {}

  /** The actor is to stop and waits for the end of an external action that is under way. */
  record Leaving(long claimed, boolean alive) implements EntityState {}

  /** The agent cannot be there; what is asked of it is refused until the actor is stopped. */
  record Unavailable(long claimed) implements EntityState {}

  default boolean claims() {
    return switch (this) {
      case Recovering recovering -> false;
      case Claiming claiming -> false;
      case Ready ready -> true;
      case Passivating passivating -> true;
      case Leaving leaving -> true;
      case Unavailable unavailable -> false;
    };
  }

  /** What the actor is about to do besides. */
  default Departure leaves() {
    return switch (this) {
      case Recovering recovering -> recovering.departure();
      case Claiming claiming -> claiming.departure();
      case Ready ready -> Departure.NONE;
      case Passivating passivating ->
          passivating.missed() ? Departure.MISSED : Departure.PASSIVATING;
      case Leaving leaving -> Departure.LEAVING;
      case Unavailable unavailable -> Departure.NONE;
    };
  }
}
