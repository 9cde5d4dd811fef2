package dev.colony.node.lease;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.vcm.schedule.lease.Lease;
import dev.colony.vcm.schedule.lease.LeaseOrder;
import dev.colony.vcm.schedule.workingset.Orders;
import java.util.List;

/**
 * What the authority of leases says to a node.
 *
 * @param lines about its agents
 * @param evictions what caches may give up first, for every gateway
 * @param touches what is to stay in caches that take no hints
 */
@JsonTypeName("lease-orders")
record LeaseOrders(List<Line> lines, List<Blocks> evictions, List<Blocks> touches) {

  LeaseOrders {
    lines = lines == null ? List.of() : List.copyOf(lines);
    evictions = evictions == null ? List.of() : List.copyOf(evictions);
    touches = touches == null ? List.of() : List.copyOf(touches);
  }

  /** Blocks at a replica. */
  record Blocks(String replica, long[] blocks) {}

  /** What is said of an agent. */
  enum Kind {
    GRANTED,
    HELD,
    RENEWED,
    RECALLED,
    ENDED,
    TELL
  }

  /** A {@link LeaseOrder.ToHolder} as it is sent; what its kind does not have is left out. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Line(
      Kind kind,
      String agent,
      String replica,
      Long epoch,
      Long ask,
      Long turn,
      Double sentAt,
      LeaseOrder.Reason reason) {

    static Line of(LeaseOrder.ToHolder order) {
      return switch (order) {
        case LeaseOrder.Granted one -> of(Kind.GRANTED, one.lease(), one.ask(), null, one.sentAt());
        case LeaseOrder.Held one ->
            new Line(Kind.HELD, one.agent(), null, null, one.ask(), null, null, one.reason());
        case LeaseOrder.Renewed one ->
            of(Kind.RENEWED, one.lease(), null, one.turn(), one.sentAt());
        case LeaseOrder.Recalled one -> of(Kind.RECALLED, one.lease(), one.ask(), null, null);
        case LeaseOrder.Ended one -> of(Kind.ENDED, one.lease(), null, null, null);
        case LeaseOrder.Tell one ->
            new Line(Kind.TELL, one.agent(), null, null, null, null, null, null);
      };
    }

    private static Line of(Kind kind, Lease lease, Long ask, Long turn, Double sentAt) {
      return new Line(kind, lease.agent(), lease.replica(), lease.epoch(), ask, turn, sentAt, null);
    }

    LeaseOrder.ToHolder order(String holder) {
      return switch (kind) {
        case GRANTED -> new LeaseOrder.Granted(holder, lease(), ask, sentAt);
        case HELD -> new LeaseOrder.Held(holder, agent, ask, reason);
        case RENEWED -> new LeaseOrder.Renewed(holder, lease(), turn, sentAt);
        case RECALLED -> new LeaseOrder.Recalled(holder, lease(), ask);
        case ENDED -> new LeaseOrder.Ended(holder, lease());
        case TELL -> new LeaseOrder.Tell(holder, agent);
      };
    }

    private Lease lease() {
      return new Lease(agent, replica, epoch);
    }
  }

  static Blocks of(Orders.Eviction eviction) {
    return new Blocks(eviction.replica(), eviction.blocks());
  }

  static Blocks of(Orders.Touch touch) {
    return new Blocks(touch.replica(), touch.blocks());
  }
}
