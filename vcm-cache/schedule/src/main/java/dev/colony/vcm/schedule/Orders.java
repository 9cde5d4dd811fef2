package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.ClusterState.Dispatch;
import dev.colony.vcm.schedule.CostRouter.Decision;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What is to be done after an event, evictions and touches first.
 *
 * @param evictions hints to caches that take them
 * @param touches uses of what is to stay in caches that take no hints, in this order
 * @param pagedOut units that have lost their homes to others
 * @param started requests that go to their replicas now; those that are not among them wait
 * @param wakeAt when the scheduler wants to be asked again, where requests wait
 */
public record Orders(
    List<Eviction> evictions,
    List<Touch> touches,
    List<PagedOut> pagedOut,
    List<Started> started,
    OptionalDouble wakeAt) {

  public Orders {
    evictions = List.copyOf(evictions);
    touches = List.copyOf(touches);
    pagedOut = List.copyOf(pagedOut);
    started = List.copyOf(started);
  }

  /** A unit is resident at a replica no longer, though it has not ended. */
  public record PagedOut(String unit, String replica) {}

  /**
   * A request goes to a replica.
   *
   * @param request by the caller's number
   */
  public record Started(long request, Decision.Run run, Dispatch dispatch) {}

  /**
   * Blocks of a replica are the next to be evicted, the last of them first, unless a running
   * request uses them.
   */
  public record Eviction(String replica, long[] blocks) {}

  /** A prompt's beginning counts as just used at a replica: one token is asked for over it. */
  public record Touch(String replica, long[] blocks) {}
}
