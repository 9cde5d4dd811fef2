package dev.colony.agent.inbox;

import dev.colony.agent.entity.InboxBounds;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
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

/**
 * Which messages of one bucket are to be sent when. It knows the messages that its owner has read,
 * by their ids, and decides by what became of those that were sent. Pure but for its own state; not
 * thread-safe.
 *
 * <p><b>The problem.</b> Messages for many agents of many tenants stand in one stream. Some agents
 * do not answer, some are full for now, and a tenant may put in more than all others together. None
 * of these may hold up another agent, the memory is bounded, and the runs of an agent keep their
 * order.
 *
 * <p><b>Lanes.</b> What is for one agent stands in two lanes: its runs in the order of the stream,
 * of which the first is tried again before a later one is sent; and all else (signals, wakes),
 * which may overtake. Each lane, and all lanes of a tenant together, have a bounded number under
 * way, and tenants take turns.
 *
 * <p><b>Trouble.</b> A lane whose agent is busy, or whose delivery failed, waits, then tries one
 * message at a time. Those that fail have slots of their own, so that they take none from agents
 * that answer.
 *
 * <p><b>Memory.</b> Reading goes on behind what waits. A lane holds a bounded number of ids; of
 * what is beyond, it remembers where to read on. So what one agent is sent costs the others nothing
 * but the reading.
 */
final class BucketWindow {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  /** Pages of ids that a lane holds, in units of what it may have under way. */
  private static final int LANE_HOLDS = 16;

  private static final Comparator<String> STREAM_ORDER =
      Comparator.<String>comparingLong(id -> part(id, 0)).thenComparingLong(id -> part(id, 1));

  /** What is for one agent, of one kind. */
  private final class Lane {
    final LaneKey key;
    final Tenant tenant;
    final TreeSet<String> ids = new TreeSet<>(STREAM_ORDER);

    /** Ids of those that were tried in vain, behind the others where the order is free. */
    final Deque<String> tried = new ArrayDeque<>();

    /** Behind this id there may be more in the stream than is held. */
    Optional<String> rest = Optional.empty();

    int underWay;
    int failures;
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
      if (key.ordered()) {
        ids.add(id);
      } else {
        tried.addLast(id);
      }
    }

    boolean mayBegin() {
      return !empty() && underWay < (failing() || busy ? 1 : bounds.perAgent());
    }
  }

  private record LaneKey(String recipient, boolean ordered) {}

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

  private final InboxBounds bounds;
  private final Map<LaneKey, Lane> lanes = new HashMap<>();
  private final Map<String, Tenant> tenants = new HashMap<>();
  private final Deque<Tenant> ring = new ArrayDeque<>();
  private final TreeSet<Lane> sleeping =
      new TreeSet<>(
          Comparator.<Lane, Instant>comparing(lane -> lane.due)
              .thenComparing(lane -> lane.key.recipient())
              .thenComparing(lane -> lane.key.ordered()));
  private final Set<Lane> overflowing = new LinkedHashSet<>();
  private final Set<Lane> full = new LinkedHashSet<>();
  private final Map<String, Sent> sent = new HashMap<>();
  private Optional<String> cursor = Optional.empty();
  private int held;
  private int healthyUnderWay;
  private int failingUnderWay;
  private long attempts;

  BucketWindow(InboxBounds bounds) {
    this.bounds = bounds;
  }

  /** The last message that was read, behind which to read on. */
  Optional<String> cursor() {
    return cursor;
  }

  /** How many messages are under way. */
  int underWay() {
    return sent.size();
  }

  /** How many ids are remembered. */
  int held() {
    return held;
  }

  /** Takes what was read behind {@link #cursor}. */
  void read(List<InboxMessage> page, Instant now) {
    for (InboxMessage message : page) {
      if (!sent.containsKey(message.id())) {
        add(lane(message), message.id(), now);
      }
      cursor = Optional.of(message.id());
    }
  }

  private void add(Lane lane, String id, Instant now) {
    if (lane.rest.isPresent()) {
      return;
    }
    boolean room = lane.size() < LANE_HOLDS * bounds.perAgent() && held < bounds.held();
    if (room || lane.empty()) {
      lane.ids.add(id);
      held++;
      list(lane, now);
    } else {
      lane.rest = Optional.of(last(lane));
      overflowing.add(lane);
    }
  }

  private static String last(Lane lane) {
    return lane.ids.isEmpty()
        ? lane.tried.stream().max(STREAM_ORDER).orElseThrow()
        : lane.ids.last();
  }

  /**
   * From where to read for lanes that have nothing left but what was not held; the oldest first.
   */
  Optional<String> restFrom() {
    return overflowing.stream().filter(Lane::empty).map(lane -> lane.rest.get()).min(STREAM_ORDER);
  }

  /**
   * Takes what was read from {@link #restFrom} on, for all lanes that have more than was held.
   *
   * @param page empty where there is nothing
   */
  void readRest(String from, List<InboxMessage> page, Instant now) {
    String end = page.isEmpty() ? cursor.orElse(from) : page.getLast().id();
    Map<Lane, List<String>> found = new HashMap<>();
    for (InboxMessage message : page) {
      Lane lane = lanes.get(key(message));
      boolean known = cursor.isPresent() && order(message.id(), cursor.get()) <= 0;
      if (lane != null && known && !sent.containsKey(message.id())) {
        found.computeIfAbsent(lane, any -> new ArrayList<>()).add(message.id());
      }
    }
    for (Lane lane : List.copyOf(overflowing)) {
      boolean within = order(lane.rest.get(), from) >= 0 && order(lane.rest.get(), end) <= 0;
      if (!within || !lane.empty()) {
        continue;
      }
      String rest = lane.rest.get();
      boolean over = page.isEmpty() || order(end, cursor.orElse(from)) >= 0;
      Optional<String> next = over ? Optional.empty() : Optional.of(end);
      for (String id : found.getOrDefault(lane, List.of())) {
        if (order(id, rest) <= 0) {
          continue;
        }
        if (lane.size() >= LANE_HOLDS * bounds.perAgent()) {
          next = Optional.of(last(lane));
          break;
        }
        if (lane.ids.add(id)) {
          held++;
        }
      }
      lane.rest = next;
      if (next.isEmpty()) {
        overflowing.remove(lane);
      }
      list(lane, now);
      forget(lane);
    }
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
    if (lane.empty() && lane.underWay == 0 && lane.rest.isEmpty() && !lane.failing()) {
      sleeping.remove(lane);
      full.remove(lane);
      lanes.remove(lane.key);
    }
  }

  /** Something happened in the bucket, an agent that was busy may have room. */
  void hinted(Instant now) {
    for (Lane lane : List.copyOf(full)) {
      Instant soon = lane.since.plus(bounds.busy().shortest());
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

  /** Reads anew from the oldest message on: the bucket may have lost what was read. */
  void restart() {
    cursor = Optional.empty();
    overflowing.clear();
    for (Iterator<Lane> each = lanes.values().iterator(); each.hasNext(); ) {
      Lane lane = each.next();
      held -= lane.size();
      lane.ids.clear();
      lane.tried.clear();
      lane.rest = Optional.empty();
      sleeping.remove(lane);
      full.remove(lane);
      unlist(lane);
      if (lane.underWay == 0) {
        each.remove();
      }
    }
  }

  private Lane lane(InboxMessage message) {
    LaneKey key = key(message);
    Lane known = lanes.get(key);
    if (known != null) {
      return known;
    }
    if (lanes.size() >= bounds.held()) {
      forgetIdle();
    }
    Tenant tenant = tenants.computeIfAbsent(message.scope().tenant(), any -> new Tenant());
    Lane lane = new Lane(key, tenant);
    lanes.put(key, lane);
    return lane;
  }

  private void forgetIdle() {
    lanes.values().removeIf(lane -> lane.size() + lane.underWay == 0 && lane.rest.isEmpty());
    Collection<Tenant> used = lanes.values().stream().map(lane -> lane.tenant).distinct().toList();
    tenants.values().removeIf(tenant -> !tenant.listed && !used.contains(tenant));
  }

  private static LaneKey key(InboxMessage message) {
    boolean run =
        message instanceof InboxMessage.Request && PROTOCOL.requestId(message.key()).isPresent();
    return new LaneKey(message.recipient(), run);
  }

  private static int order(String one, String other) {
    return STREAM_ORDER.compare(one, other);
  }

  private static long part(String id, int which) {
    int dash = id.indexOf('-');
    if (which == 0) {
      return Long.parseLong(id, 0, dash < 0 ? id.length() : dash, 10);
    }
    return dash < 0 ? 0 : Long.parseLong(id.substring(dash + 1));
  }
}
