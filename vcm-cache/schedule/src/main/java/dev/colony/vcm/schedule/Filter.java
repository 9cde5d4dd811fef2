package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.Decision.Refusal;
import java.util.List;
import java.util.Optional;

/** Leaves out replicas that cannot take an ask. */
@FunctionalInterface
public interface Filter {

  /** Why the replica does not take it; empty where it does. */
  Optional<Refusal> refuses(Ask ask, ClusterSnapshot.Replica replica);

  /** What the ask excludes, what takes no calls, and what has as many as it may. */
  List<Filter> ALL =
      List.of(
          (ask, replica) -> when(ask.excluded().contains(replica.id()), Refusal.EXCLUDED),
          (ask, replica) -> when(!replica.access().available(), Refusal.UNAVAILABLE),
          (ask, replica) -> when(replica.access().full(), Refusal.FULL));

  private static Optional<Refusal> when(boolean refused, Refusal why) {
    return refused ? Optional.of(why) : Optional.empty();
  }
}
