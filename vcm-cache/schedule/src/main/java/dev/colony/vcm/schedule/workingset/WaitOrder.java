package dev.colony.vcm.schedule.workingset;

import java.util.Comparator;

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

  private record Place(Class kind, double within, long number) {}

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

  Comparator<Request> at(double now) {
    return Comparator.comparing(
        request -> place(request, now),
        Comparator.comparing(Place::kind)
            .thenComparingDouble(Place::within)
            .thenComparingLong(Place::number));
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
    return new Place(kind, within, request.number);
  }

  private double newcomer(Request request, double now) {
    int blocks = request.ask.blocks().length;
    return request.unit.remainingTurns.isPresent()
        ? (double) (request.unit.remainingTurns.getAsInt() + 1) * blocks
        : blocks - settings.aging() * (now - request.arrived);
  }
}
