package dev.colony.vcm.table;

/** What a node says of itself and of what it calls, whole each time: the newest one counts. */
public sealed interface NodeReport permits ReplicaResidency, ObservedResidency, PageUses {

  /** Grows with each start of what is told of. */
  long incarnation();

  /** Grows with each report of one incarnation. */
  long version();

  /** Whether this one replaces the other: a later incarnation, or a later report of the same. */
  default boolean newerThan(NodeReport other) {
    return incarnation() != other.incarnation()
        ? incarnation() > other.incarnation()
        : version() > other.version();
  }
}
