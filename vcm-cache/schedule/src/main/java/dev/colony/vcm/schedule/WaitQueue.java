package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.ClusterState.Dispatch;
import dev.colony.vcm.schedule.Home.Unit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The requests that are held, and the order in which they are tried: those beyond the bound, the
 * oldest first; those of agents that have run before, in the order of arrival; newcomers by the
 * blocks that they need, less for each second of waiting, or where they declare it by the
 * block-turns that they still need.
 */
final class WaitQueue {

  enum Class {
    OVERDUE,
    RETURNING,
    NEWCOMER
  }

  private record Place(Class kind, double within, Request request) {}

  private final WorkingSetSettings settings;
  private final Map<Long, Request> held = new LinkedHashMap<>();
  private double wakeAt = Double.NEGATIVE_INFINITY;

  WaitQueue(WorkingSetSettings settings) {
    this.settings = settings;
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  void add(Request request) {
    held.put(request.number, request);
    request.unit.waiting++;
  }

  void remove(Request request) {
    held.remove(request.number);
    request.unit.waiting--;
  }

  /** Whether a unit's request is tried at once: where no request waits that goes first. */
  boolean overtakenBy(Unit owner) {
    return held.isEmpty()
        || (owner.returning() && held.values().stream().noneMatch(other -> other.unit.returning()));
  }

  /** When those that wait are to be tried again; empty where that was told before, or none does. */
  OptionalDouble wake(double now) {
    if (held.isEmpty() || wakeAt > now) {
      return OptionalDouble.empty();
    }
    wakeAt = now + settings.wakeSeconds();
    return OptionalDouble.of(wakeAt);
  }

  Class of(Request request, double now) {
    if (now - request.arrived > settings.boundSeconds()) {
      return Class.OVERDUE;
    }
    return request.unit.returning() ? Class.RETURNING : Class.NEWCOMER;
  }

  /** All in that order; each one's place is found once. */
  List<Request> sorted(double now) {
    return sorted(held.values(), now);
  }

  /** Those beyond the bound in that order. */
  List<Request> overdue(double now) {
    return sorted(
        held.values().stream().filter(request -> of(request, now) == Class.OVERDUE).toList(), now);
  }

  private List<Request> sorted(Collection<Request> requests, double now) {
    List<Place> places = new ArrayList<>(requests.size());
    for (Request request : requests) {
      places.add(place(request, now));
    }
    places.sort(
        Comparator.comparing(Place::kind)
            .thenComparingDouble(Place::within)
            .thenComparingLong(place -> place.request().number));
    List<Request> sorted = new ArrayList<>(places.size());
    places.forEach(place -> sorted.add(place.request()));
    return sorted;
  }

  private Place place(Request request, double now) {
    Class kind = of(request, now);
    double within =
        switch (kind) {
          case OVERDUE -> request.arrived;
          case RETURNING ->
              request.unit.remainingTurns.isPresent()
                  ? (double) (request.unit.remainingTurns.getAsInt() + 1)
                      * request.ask.blocks().length
                  : request.arrived;
          case NEWCOMER -> newcomer(request, now);
        };
    return new Place(kind, within, request);
  }

  private double newcomer(Request request, double now) {
    int blocks = request.ask.blocks().length;
    return request.unit.remainingTurns.isPresent()
        ? (double) (request.unit.remainingTurns.getAsInt() + 1) * blocks
        : blocks - settings.aging() * (now - request.arrived);
  }

  /** A request that has not ended: it waits, or is at its unit's replica. */
  static final class Request {

    final long number;
    final Unit unit;
    final Ask ask;
    final int outputBlocks;
    final double arrived;

    /** Whether it is the unit's last. */
    final boolean last;

    /** Where it is, once it has left the scheduler. */
    Dispatch dispatch;

    Home home;

    Request(long number, Unit unit, Ask ask, int outputBlocks, double arrived, boolean last) {
      this.number = number;
      this.unit = unit;
      this.ask = ask;
      this.outputBlocks = outputBlocks;
      this.arrived = arrived;
      this.last = last;
    }
  }
}
