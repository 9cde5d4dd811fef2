package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.ClusterSnapshot.Replica;
import dev.colony.vcm.schedule.CostRouter.Decision;
import dev.colony.vcm.schedule.Home.Claims;
import dev.colony.vcm.schedule.Home.Unit;
import dev.colony.vcm.schedule.WaitQueue.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where a unit is to be resident, at one moment: of the replicas at which its blocks fit beside all
 * that is claimed the one that costs the fewest seconds, else one at which others are paged out for
 * it. Changes nothing.
 *
 * <p>A choice costs O(blocks of the prompt + replicas); where others have to be paged out, the
 * residents of each replica once in a moment.
 */
final class Placement {

  /** A backlog of fewer seconds is none: an agent stays at home. */
  private static final double NONE = 0.05;

  /**
   * A replica, and who is paged out there first.
   *
   * @param victims in the order in which they go
   */
  record Choice(Replica replica, List<Unit> victims) {}

  private final WorkingSetSettings settings;
  private final PageOut pageOut;
  private final Claims.Index claims;
  private final Map<String, Home> homes;
  private final double blockTokens;
  private final double now;
  private final Map<Home, List<PageOut.Valued>> valued = new HashMap<>();
  private ClusterSnapshot snapshot;

  Placement(
      WorkingSetSettings settings,
      PageOut pageOut,
      Claims.Index claims,
      Map<String, Home> homes,
      double blockTokens,
      double now,
      ClusterSnapshot snapshot) {
    this.settings = settings;
    this.pageOut = pageOut;
    this.claims = claims;
    this.homes = homes;
    this.blockTokens = blockTokens;
    this.now = now;
    this.snapshot = snapshot;
  }

  /** The replicas are so now: a request has gone to one of them, or a unit has left it. */
  void changed(Home home, ClusterSnapshot replicas) {
    valued.remove(home);
    snapshot = replicas;
  }

  Replica replica(Home home) {
    return snapshot.replicas().stream()
        .filter(one -> one.id().equals(home.replica))
        .findFirst()
        .orElseThrow();
  }

  /** A request goes to a replica. */
  Decision.Run run(Request request, Replica replica) {
    return new Decision.Run(
        replica.id(),
        cost(request, replica),
        replica.residency().prefix(request.ask.blocks()),
        prefill(request, replica));
  }

  /** What a request costs at a replica in seconds, those who come after included. */
  private double cost(Request request, Replica replica) {
    double congestion = settings.congestion() * snapshot.queueLength();
    return replica.load().backlogSeconds() + (1 + congestion) * prefill(request, replica);
  }

  /** What it costs to its first token where nothing stands before it. */
  private double prefill(Request request, Replica replica) {
    double cached = request.ask.cachedTokens(replica.residency().prefix(request.ask.blocks()));
    return replica.speed().seconds(request.ask.promptTokens() - cached, cached);
  }

  private static boolean takes(Request request, Replica replica) {
    return replica.access().available()
        && !replica.access().full()
        && !request.ask.excluded().contains(replica.id());
  }

  /** How many blocks a request needs beyond those that are claimed, its output included. */
  private static int needed(Request request, Home home, int[] claimed) {
    return request.ask.blocks().length - claimed[home.claims.number] + request.outputBlocks + 1;
  }

  /**
   * A home for a unit that has none.
   *
   * @param residentSeconds what a resident counts, as it will ask again
   * @param othersWait whether agents are held back, so that those with common blocks come together
   * @param always whether others are paged out whatever that costs
   * @return empty where it has to wait
   */
  Optional<Choice> load(
      Request request, double residentSeconds, boolean othersWait, boolean always) {
    int[] claimed = claims.claimed(request.ask.blocks());
    Replica best = null;
    double least = Double.POSITIVE_INFINITY;
    for (Replica replica : snapshot.replicas()) {
      Home home = homes.get(replica.id());
      int needed = needed(request, home, claimed);
      if (!takes(request, replica)
          || (home.claims.size() + needed > home.capacity && !home.empty())) {
        continue;
      }
      double seconds =
          cost(request, replica)
              + residentSeconds * home.residents()
              + (othersWait ? settings.sharing() * needed : 0);
      if (seconds < least) {
        least = seconds;
        best = replica;
      }
    }
    return best == null
        ? pagedOut(request, claimed, always)
        : Optional.of(new Choice(best, List.of()));
  }

  private Optional<Choice> pagedOut(Request request, int[] claimed, boolean always) {
    Choice best = null;
    double least = Double.POSITIVE_INFINITY;
    for (Replica replica : snapshot.replicas()) {
      if (!takes(request, replica)) {
        continue;
      }
      Home home = homes.get(replica.id());
      int needed = needed(request, home, claimed);
      int over = needed + home.claims.size() - home.capacity;
      Optional<PageOut.Victims> freed =
          pageOut.free(
              valued.computeIfAbsent(
                  home, one -> pageOut.valued(one, replica.speed(), blockTokens, now)),
              over,
              always);
      if (freed.isEmpty() && always) {
        freed = PageOut.whatever(home, over);
      }
      if (freed.isEmpty()) {
        continue;
      }
      double seconds =
          replica.load().backlogSeconds()
              + 2 * prefill(request, replica)
              - freed.get().gain() / home.capacity
              + settings.sharing() * needed;
      if (seconds < least) {
        least = seconds;
        best = new Choice(replica, freed.get().units());
      }
    }
    return Optional.ofNullable(best);
  }

  /** Another home for a unit of which nothing runs; empty where its own is as good. */
  Optional<Replica> migration(Request request) {
    Home from = request.unit.home;
    if (snapshot.replicas().stream()
        .anyMatch(one -> homes.get(one.id()) == from && one.load().backlogSeconds() <= NONE)) {
      return Optional.empty();
    }
    int[] claimed = claims.claimed(request.ask.blocks());
    Replica best = null;
    double least = Double.POSITIVE_INFINITY;
    for (Replica replica : snapshot.replicas()) {
      Home home = homes.get(replica.id());
      boolean own = home == from;
      boolean fits =
          own
              || (takes(request, replica)
                  && home.claims.size() + needed(request, home, claimed) <= home.capacity);
      if (!fits) {
        continue;
      }
      double seconds = cost(request, replica) - (own ? settings.migration() : 0);
      if (seconds < least) {
        least = seconds;
        best = replica;
      }
    }
    return Optional.ofNullable(best).filter(replica -> homes.get(replica.id()) != from);
  }
}
