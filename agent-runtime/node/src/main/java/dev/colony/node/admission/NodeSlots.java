package dev.colony.node.admission;

import dev.colony.core.capacity.CapacitySettings;
import dev.colony.core.capacity.CapacityUse;
import dev.colony.core.capacity.CapacityUse.CapacityReport;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted.Resource;
import dev.colony.core.capacity.FairQueue;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.core.capacity.SlotScheduler.SlotRequest.AdmittedAgent;
import dev.colony.vcm.table.NodeAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The slots of a node for agents at work, and those who wait for one in memory. Thread-safe: every
 * agent of the node asks here, on its actor's thread, and no call blocks for long. What a waiter is
 * told, is told outside the lock, on the thread of the caller that freed the capacity.
 */
public final class NodeSlots {

  /** Tenants in a report. A frame between nodes holds some thousand. */
  private static final int TENANTS_TOLD = 500;

  private final CapacitySettings settings;
  private final InstantSource clock;
  private final CapacityUse used;
  private final FairQueue<Slot> queue;
  private final Set<Slot> held = new LinkedHashSet<>();
  private long arrived;
  private int visitors;

  public NodeSlots(CapacitySettings settings, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
    this.used = new CapacityUse(settings.node(), settings.shares());
    this.queue =
        new FairQueue<>(settings.preemption().aging(), settings.strictEvery(), true, Slot::request);
  }

  /** Hears what becomes of a wait; one of both, once, unless the slot was given back before. */
  public interface Waiter {

    void granted();

    /** It is not to wait in memory any longer. */
    void sentAway(ResourceExhausted why);
  }

  /** An agent's slot, or its wait for one. */
  public final class Slot {
    private final SlotRequest request;
    private final boolean visitor;
    private final Waiter waiter;
    private final Instant asked;
    private SlotState state = SlotState.WAITING;
    private Instant since;
    private volatile boolean yields;

    private Slot(SlotRequest request, boolean visitor, Waiter waiter) {
      this.request = request;
      this.visitor = visitor;
      this.waiter = waiter;
      this.asked = clock.instant();
      this.since = asked;
    }

    private SlotRequest request() {
      return request;
    }

    private AdmittedAgent atWork() {
      return new AdmittedAgent(request, since);
    }

    public boolean held() {
      synchronized (NodeSlots.this) {
        return state == SlotState.HELD || state == SlotState.LENT;
      }
    }

    /** Whether another agent is to have it as soon as the step has ended. */
    public boolean yields() {
      return yields;
    }

    /** Lets others have it while its agent only waits for them; see {@link #takeBack}. */
    public void lend() {
      tell(NodeSlots.this.lend(this));
    }

    /**
     * Takes it again, be there capacity or not: the step goes on, and cannot wait. Changes nothing
     * where the slot was given back meanwhile.
     */
    public void takeBack() {
      synchronized (NodeSlots.this) {
        if (state == SlotState.LENT) {
          hold(this);
        }
      }
    }

    /** Ends the wait, or lets others have the slot. The second time changes nothing. */
    public void giveBack() {
      tell(leave(this));
    }
  }

  private enum SlotState {
    WAITING,
    HELD,
    LENT,
    GONE
  }

  /**
   * Asks for a slot. Where there is one, it is {@link Slot#held} at once and the waiter is not
   * told.
   *
   * @param visitor whether the agent comes from a durable wait
   */
  public Slot ask(SlotRequest request, boolean visitor, Waiter waiter) {
    Slot slot = new Slot(request, visitor, waiter);
    tell(enter(slot));
    return slot;
  }

  /** Takes a slot, be there one or not: for what cannot wait. */
  public synchronized Slot insist(SlotRequest request) {
    Slot slot = new Slot(request, false, null);
    hold(slot);
    return slot;
  }

  private synchronized List<Runnable> enter(Slot slot) {
    if (slot.visitor) {
      arrived++;
    }
    if (queue.size() == 0 && used.missing(slot.request).isEmpty()) {
      hold(slot);
      return List.of();
    }
    queue.add(slot);
    visitors += slot.visitor ? 1 : 0;
    List<Runnable> told = serve(slot);
    if (queue.size() > settings.waiting().most()) {
      queue.last().ifPresent(last -> told.add(away(last)));
    }
    return told;
  }

  private synchronized List<Runnable> leave(Slot slot) {
    SlotState before = slot.state;
    slot.state = SlotState.GONE;
    return switch (before) {
      case HELD -> {
        used.giveBack(slot.request);
        held.remove(slot);
        yield serve(null);
      }
      case WAITING -> {
        unqueue(slot);
        // It may have been the one that the others had to wait for.
        yield serve(null);
      }
      case LENT, GONE -> List.of();
    };
  }

  private synchronized List<Runnable> lend(Slot slot) {
    if (slot.state != SlotState.HELD) {
      return List.of();
    }
    List<Runnable> told = leave(slot);
    slot.state = SlotState.LENT;
    return told;
  }

  private List<Runnable> serve(Slot asking) {
    List<Runnable> told = new ArrayList<>();
    Optional<Slot> next = next();
    while (next.isPresent()) {
      Slot slot = next.get();
      visitors -= slot.visitor ? 1 : 0;
      hold(slot);
      if (slot != asking) {
        told.add(slot.waiter::granted);
      }
      next = next();
    }
    return told;
  }

  /**
   * With no capacity for any, thousands that wait are not looked through after each that is served.
   */
  private Optional<Slot> next() {
    return used.full()
        ? Optional.empty()
        : queue.next(slot -> used.missing(slot.request).isEmpty(), used::use);
  }

  private void hold(Slot slot) {
    used.take(slot.request);
    slot.state = SlotState.HELD;
    slot.since = clock.instant();
    held.add(slot);
  }

  private void unqueue(Slot slot) {
    if (queue.remove(slot)) {
      visitors -= slot.visitor ? 1 : 0;
    }
  }

  private Runnable away(Slot slot) {
    ResourceExhausted why =
        used.missing(slot.request).orElseGet(() -> new ResourceExhausted(Resource.AGENTS, 1, 0));
    unqueue(slot);
    slot.state = SlotState.GONE;
    return () -> slot.waiter.sentAway(why);
  }

  /**
   * Does what time asks for: sends away those who have waited too long in memory, and tells agents
   * at work to give way. To be called now and then.
   *
   * @param heapPercent how much of the heap was in use after the last garbage collection
   */
  void tick(int heapPercent) {
    tell(passed(heapPercent, clock.instant()));
  }

  private synchronized List<Runnable> passed(int heapPercent, Instant now) {
    used.heap(heapPercent);
    List<Runnable> told = serve(null);
    sendAway(heapPercent >= settings.node().heapPercent(), now, told);
    press(now);
    return told;
  }

  /** The last ones first: the first of the queue are about to be served. */
  private void sendAway(boolean tight, Instant now, List<Runnable> told) {
    Instant before = now.minus(settings.waiting().longest());
    for (int i = 0; i < settings.waiting().sentAwayAtOnce(); i++) {
      Optional<Slot> last = queue.last().filter(slot -> tight || slot.asked.isBefore(before));
      if (last.isEmpty() || queue.size() <= settings.waiting().keep()) {
        return;
      }
      told.add(away(last.get()));
    }
  }

  private void press(Instant now) {
    long yielding = held.stream().filter(Slot::yields).count();
    Optional<Slot> longest = queue.longest();
    if (longest.isEmpty() || yielding >= settings.mostYielding()) {
      return;
    }
    Map<AdmittedAgent, Slot> others =
        held.stream()
            .filter(slot -> !slot.yields())
            .collect(Collectors.toMap(Slot::atWork, slot -> slot, (one, other) -> one));
    settings
        .preemption()
        .givesWay(longest.get().request, others.keySet(), now)
        .ifPresent(victim -> others.get(victim).yields = true);
  }

  synchronized CapacityReport report(NodeAddress node, long life) {
    List<AdmittedAgent> others =
        held.stream().filter(slot -> !slot.yields()).map(Slot::atWork).toList();
    return new CapacityReport(
        node,
        life,
        queue.size() == 0 ? used.free() : 0,
        used.freeTokens(),
        settings.node().agents(),
        visitors,
        arrived,
        mostOf(used.atWork()),
        settings.preemption().lowest(others, clock.instant()));
  }

  public synchronized int taken() {
    return used.taken();
  }

  public synchronized int waiting() {
    return queue.size();
  }

  private static Map<String, Integer> mostOf(Map<String, Integer> atWork) {
    return atWork.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
        .limit(TENANTS_TOLD)
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, Map.Entry::getValue, (one, other) -> one, LinkedHashMap::new));
  }

  private static void tell(List<Runnable> told) {
    told.forEach(Runnable::run);
  }
}
