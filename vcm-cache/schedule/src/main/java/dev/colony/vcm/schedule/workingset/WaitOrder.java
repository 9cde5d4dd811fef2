package dev.colony.vcm.schedule.workingset;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The order in which held requests are tried: those beyond the bound, the oldest first; those of
 * agents that have run before, in the order of arrival; newcomers by the blocks that they need,
 * less for each second of waiting, or where they declare it by the block-turns that they still
 * need.
 */
final class WaitOrder {

  enum Class {
    OVERDUE,
    RETURNING,
    NEWCOMER
  }

  private record Place(Class kind, double within, Request request) {}

  private final WorkingSetSettings settings;

  WaitOrder(WorkingSetSettings settings) {
    this.settings = settings;
  }

  Class of(Request request, double now) {
    if (now - request.arrived > settings.boundSeconds()) {
      return Class.OVERDUE;
    }
    return request.unit.returning() ? Class.RETURNING : Class.NEWCOMER;
  }

  /** Those requests in that order; each one's place is found once. */
  List<Request> sorted(Collection<Request> requests, double now) {
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
}
