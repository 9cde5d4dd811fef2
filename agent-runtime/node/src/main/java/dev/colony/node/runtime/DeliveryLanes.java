package dev.colony.node.runtime;

import dev.colony.node.NodeBounds;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which of the messages of a bucket that are held are to be sent when. It knows them by their ids,
 * and decides by what became of those that were sent; {@link BucketCursor} says which are held.
 * Pure but for its own state; not thread-safe.
 *
 * <p><b>The problem.</b> Messages for many agents of many tenants stand in one stream. Some agents
 * do not answer, some are full for now, and a tenant may put in more than all others together. None
 * of these may hold up another agent, the memory is bounded, and the runs of an agent keep their
 * order.
 *
 * <p><b>Lanes.</b> What is for one agent stands in three lanes: its runs in the order of the
 * stream, of which the first is tried again before a later one is sent; cancellations of runs,
 * which may be too early and then wait; and all else (signals, wakes), which may overtake. Each
 * lane, and all lanes of a tenant together, have a bounded number under way, and tenants take
 * turns.
 *
 * <p><b>Trouble.</b> A lane whose agent is busy, or whose delivery failed, waits, then tries one
 * message at a time. Those that fail have slots of their own, so that they take none from agents
 * that answer.
 */
final class DeliveryLanes {

  /** Pages of ids that a lane holds, in units of what it may have under way. */
  private static final int LANE_HOLDS = 16;

  /** What is for one agent, of one kind. */
  private final class Lane {
    final LaneKey key;
    final Tenant tenant;
    final TreeSet<String> ids = new TreeSet<>(BucketCursor.STREAM_ORDER);

    /** Ids of those that were tried in vain, behind the others where the order is free. */
    final Deque<String> tried = new ArrayDeque<>();

    int underWay;
    int failures;

    /** How often in a row its agent was tried and still busy. */
    int refusals;

    boolean busy;
    boolean exhausted;
    boolean ready;
    boolean readyAsFailing;
    Instant due = Instant.MIN;
    Instant since = Instant.MIN;

    Lane(LaneKey key, Tenant tenant) {
      this.key = key;
      this.tenant = tenant;
    }

    boolean failing() {
      return failures > 0;
    }

    boolean empty() {
      return ids.isEmpty() && tried.isEmpty();
    }

    int size() {
      return ids.size() + tried.size();
    }

    String poll() {
      held--;
      return ids.isEmpty() ? tried.pollFirst() : ids.pollFirst();
    }

    void putBack(String id) {
      held++;
      if (key.kind() == Kind.RUN) {
        ids.add(id);
      } else {
        tried.addLast(id);
      }
    }

    boolean mayBegin() {
      return !empty() && underWay < (failing() || busy ? 1 : bounds.perAgent());
    }
  }

  /** What a message is, as far as it matters to when it is sent. */
  enum Kind {
    RUN,
    CANCELLATION,
    OTHER
  }

  /** Names a lane: what is for one agent, of one kind. */
  record LaneKey(String recipient, Kind kind) {}

  private static final class Tenant {
    final Deque<Lane> ready = new ArrayDeque<>();
    final Deque<Lane> failing = new ArrayDeque<>();
    int underWay;
    int failingUnderWay;
    boolean listed;
  }

  /** A message that was sent. */
  private record Sent(Lane lane, boolean failing, long attempt) {}

  /** A message to be sent; its attempt tells it from earlier ones. */
  record ToSend(String id, long attempt, boolean lastTry) {}

  private final NodeBounds.Lanes bounds;
  private final Map<LaneKey, Lane> lanes = new HashMap<>();
  private final Map<String, Tenant> tenants = new HashMap<>();
  private final Deque<Tenant> ring = new ArrayDeque<>();
  private final TreeSet<Lane> sleeping =
      new TreeSet<>(
          Comparator.<Lane, Instant>comparing(lane -> lane.due)
              .thenComparing(lane -> lane.key.recipient())
              .thenComparing(lane -> lane.key.kind()));
  private final Set<Lane> full = new LinkedHashSet<>();
  private final Map<String, Sent> sent = new HashMap<>();
  private int held;
  private int healthyUnderWay;
  private int failingUnderWay;
  private long attempts;
  private int sweptAt;

  DeliveryLanes(NodeBounds.Lanes bounds) {
    this.bounds = bounds;
    this.sweptAt = bounds.held();
  }

  int underWay() {
    return sent.size();
  }

  int held() {
    return held;
  }

  /** Whether a message was sent and nothing is known of it yet. */
  boolean isUnderWay(String id) {
    return sent.containsKey(id);
  }

  boolean isEmpty(LaneKey key) {
    Lane lane = lanes.get(key);
    return lane == null || lane.empty();
  }

  /**
   * Holds a message that is not under way, unless its lane, or all together, hold as many as they
   * may; one of each lane is always held.
   *
   * @param turn whether the lane has been empty, so that only its own bound counts
   * @return whether it is held
   */
  boolean add(LaneKey key, String tenant, String id, boolean turn, Instant now) {
    Lane lane = lane(key, tenant);
    boolean room = lane.size() < LANE_HOLDS * bounds.perAgent() && (turn || held < bounds.held());
    if (!room && !lane.empty()) {
      return false;
    }
    if (lane.ids.add(id)) {
      held++;
    }
    list(lane, now);
    return true;
  }

  /** The last id, in the order of the stream, that a lane holds, which is not empty. */
  String last(LaneKey key) {
    Lane lane = lanes.get(key);
    return lane.ids.isEmpty()
        ? lane.tried.stream().max(BucketCursor.STREAM_ORDER).orElseThrow()
        : lane.ids.last();
  }

  /** What is to be sent now; each is under way from here on. */
  List<ToSend> take(Instant now) {
    while (!sleeping.isEmpty() && !sleeping.first().due.isAfter(now)) {
      Lane lane = sleeping.pollFirst();
      lane.due = Instant.MIN;
      list(lane, now);
    }
    List<ToSend> taken = new ArrayList<>();
    boolean went = true;
    while (went) {
      went = false;
      for (int turns = ring.size(); turns > 0; turns--) {
        Tenant tenant = ring.pollFirst();
        Optional<Lane> next = next(tenant);
        next.ifPresent(lane -> taken.add(send(lane, now)));
        went |= next.isPresent();
        tenant.listed = !tenant.ready.isEmpty() || !tenant.failing.isEmpty();
        if (tenant.listed) {
          ring.addLast(tenant);
        }
      }
    }
    return taken;
  }

  private Optional<Lane> next(Tenant tenant) {
    if (!tenant.ready.isEmpty()
        && healthyUnderWay < bounds.batch()
        && tenant.underWay < bounds.perTenant()) {
      return Optional.of(tenant.ready.pollFirst());
    }
    if (!tenant.failing.isEmpty()
        && failingUnderWay < bounds.failing()
        && tenant.failingUnderWay < Math.max(1, bounds.failing() / 2)) {
      return Optional.of(tenant.failing.pollFirst());
    }
    return Optional.empty();
  }

  private ToSend send(Lane lane, Instant now) {
    lane.ready = false;
    String id = lane.poll();
    long attempt = ++attempts;
    Sent one = new Sent(lane, lane.failing(), attempt);
    sent.put(id, one);
    count(one, 1);
    list(lane, now);
    return new ToSend(id, attempt, lane.exhausted);
  }

  private void count(Sent one, int change) {
    one.lane().underWay += change;
    if (one.failing()) {
      failingUnderWay += change;
      one.lane().tenant.failingUnderWay += change;
    } else {
      healthyUnderWay += change;
      one.lane().tenant.underWay += change;
    }
  }

  /** Has a lane take its turn if it may begin something now. */
  private void list(Lane lane, Instant now) {
    if (lane.ready || !lane.mayBegin()) {
      return;
    }
    if (lane.due.isAfter(now)) {
      sleeping.add(lane);
      return;
    }
    lane.ready = true;
    lane.readyAsFailing = lane.failing();
    (lane.failing() ? lane.tenant.failing : lane.tenant.ready).addLast(lane);
    if (!lane.tenant.listed) {
      lane.tenant.listed = true;
      ring.addLast(lane.tenant);
    }
  }

  /** A message is gone from the bucket, because it was delivered or was gone before. */
  void done(String id, long attempt, Instant now) {
    Lane lane = settled(id, attempt);
    if (lane == null) {
      return;
    }
    lane.failures = 0;
    lane.refusals = 0;
    lane.busy = false;
    lane.exhausted = false;
    wakeUp(lane, Instant.MIN, now);
  }

  /** A message has become a dead letter; what follows of its lane is tried once each. */
  void buried(String id, long attempt, Instant now) {
    Lane lane = settled(id, attempt);
    if (lane != null) {
      lane.exhausted = true;
      lane.failures = Math.max(1, lane.failures);
      wakeUp(lane, Instant.MIN, now);
    }
  }

  /** The agent takes nothing more for now. */
  void busy(String id, long attempt, Instant now) {
    Lane lane = settled(id, attempt);
    if (lane != null) {
      // Those that were sent together are refused together, and count once.
      boolean together = lane.busy && lane.due.isAfter(now);
      lane.refusals = together ? lane.refusals : lane.refusals + 1;
      lane.busy = true;
      lane.exhausted = false;
      lane.failures = 0;
      lane.since = now;
      lane.putBack(id);
      wakeUp(lane, now.plus(bounds.busy().longest()), now);
    }
  }

  /**
   * A delivery failed.
   *
   * @param counted whether it is the agent's doing, as far as one can tell
   */
  void failed(String id, long attempt, boolean counted, Instant now) {
    Lane lane = settled(id, attempt);
    if (lane != null) {
      if (counted) {
        lane.failures++;
      }
      lane.putBack(id);
      wakeUp(lane, now.plus(bounds.retry().after(Math.max(1, lane.failures))), now);
    }
  }

  /** Where a message that was sent belongs; null if it was sent again since, or given up. */
  private Lane settled(String id, long attempt) {
    Sent one = sent.get(id);
    if (one == null || one.attempt() != attempt) {
      return null;
    }
    sent.remove(id);
    count(one, -1);
    return one.lane();
  }

  private void wakeUp(Lane lane, Instant due, Instant now) {
    sleeping.remove(lane);
    if (due.isAfter(now) || lane.readyAsFailing != lane.failing() || !lane.mayBegin()) {
      unlist(lane);
    }
    if (lane.busy) {
      full.add(lane);
    } else {
      full.remove(lane);
    }
    lane.due = due;
    list(lane, now);
    forget(lane);
  }

  /** Takes a lane off the queue that it stands in: it may belong into another. */
  private void unlist(Lane lane) {
    if (lane.ready) {
      lane.ready = false;
      lane.tenant.ready.remove(lane);
      lane.tenant.failing.remove(lane);
    }
  }

  private void forget(Lane lane) {
    if (lane.empty() && lane.underWay == 0 && !lane.failing()) {
      sleeping.remove(lane);
      full.remove(lane);
      lanes.remove(lane.key);
    }
  }

  /**
   * Something happened in the bucket, an agent that was busy may have room. Most hints tell of
   * something else, so that each that was followed in vain makes the next pause longer: agents that
   * are full for long would otherwise be asked as often as others are sent something.
   */
  void hinted(Instant now) {
    for (Lane lane : List.copyOf(full)) {
      Instant soon = lane.since.plus(bounds.busy().after(lane.refusals));
      if (soon.isBefore(lane.due)) {
        wakeUp(lane, soon, now);
      }
    }
  }

  /** When there is something to send that nothing else will tell of. */
  Optional<Instant> nextDue() {
    return sleeping.isEmpty() ? Optional.empty() : Optional.of(sleeping.first().due);
  }

  /** What is under way is to be sent once more, because it may have been lost. */
  void resend(Instant now) {
    Map<String, Sent> lost = new HashMap<>(sent);
    sent.clear();
    lost.forEach((id, one) -> {
      count(one, -1);
      one.lane().ids.add(id);
      held++;
    });
    lost.values().stream()
        .map(Sent::lane)
        .distinct()
        .forEach(lane -> wakeUp(lane, Instant.MIN, now));
  }

  /** Holds nothing any more; what is under way stays so. */
  void clear() {
    for (Iterator<Lane> each = lanes.values().iterator(); each.hasNext(); ) {
      Lane lane = each.next();
      held -= lane.size();
      lane.ids.clear();
      lane.tried.clear();
      sleeping.remove(lane);
      full.remove(lane);
      unlist(lane);
      if (lane.underWay == 0) {
        each.remove();
      }
    }
  }

  private Lane lane(LaneKey key, String of) {
    Lane known = lanes.get(key);
    if (known != null) {
      return known;
    }
    if (lanes.size() >= sweptAt) {
      forgetIdle();
    }
    Lane lane = new Lane(key, tenants.computeIfAbsent(of, any -> new Tenant()));
    lanes.put(key, lane);
    return lane;
  }

  /** Looks at all lanes, so not again before there are twice as many as it leaves. */
  private void forgetIdle() {
    lanes.values().removeIf(lane -> lane.size() + lane.underWay == 0);
    Set<Tenant> used = lanes.values().stream().map(lane -> lane.tenant).collect(Collectors.toSet());
    tenants.values().removeIf(tenant -> !tenant.listed && !used.contains(tenant));
    sweptAt = Math.max(bounds.held(), 2 * lanes.size());
  }
}
