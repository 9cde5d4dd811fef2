package dev.colony.agent.room;

import dev.colony.agent.capacity.AtWork;
import dev.colony.agent.capacity.CapacitySettings;
import dev.colony.agent.capacity.FairQueue;
import dev.colony.agent.capacity.NodeRoom;
import dev.colony.agent.capacity.PlaceRequest;
import dev.colony.agent.capacity.Resource;
import dev.colony.agent.capacity.ResourceExhausted;
import dev.colony.agent.capacity.Room;
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
 * The places of a node for agents at work, and those who wait for one in memory. Thread-safe: every
 * agent of the node asks here, on its actor's thread, and no call blocks for long. What somebody is
 * told, is told outside the lock, on the thread of whoever made the room.
 */
public final class NodePlaces {

  /** Tenants in a report. A frame between nodes holds some thousand. */
  private static final int TENANTS_TOLD = 500;

  private final CapacitySettings settings;
  private final InstantSource clock;
  private final Room room;
  private final FairQueue<Place> queue;
  private final Set<Place> held = new LinkedHashSet<>();
  private long arrived;
  private int visitors;

  public NodePlaces(CapacitySettings settings, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
    this.room = new Room(settings.node(), settings.shares());
    this.queue =
        new FairQueue<>(
            settings.precedence().aging(), settings.strictEvery(), true, Place::request);
  }

  /** Hears what becomes of a wait; one of both, once, unless the place was given back before. */
  public interface Waiter {

    void granted();

    /** It is not to wait in memory any longer. */
    void sentAway(ResourceExhausted why);
  }

  /** An agent's place, or its wait for one. */
  public final class Place {
    private final PlaceRequest request;
    private final boolean visitor;
    private final Waiter waiter;
    private final Instant asked;
    private Standing standing = Standing.WAITING;
    private Instant since;
    private volatile boolean yields;

    private Place(PlaceRequest request, boolean visitor, Waiter waiter) {
      this.request = request;
      this.visitor = visitor;
      this.waiter = waiter;
      this.asked = clock.instant();
      this.since = asked;
    }

    private PlaceRequest request() {
      return request;
    }

    private AtWork atWork() {
      return new AtWork(request, since);
    }

    public boolean held() {
      synchronized (NodePlaces.this) {
        return standing == Standing.HELD || standing == Standing.LENT;
      }
    }

    /** Whether another agent is to have it as soon as the step has ended. */
    public boolean yields() {
      return yields;
    }

    /** Lets others have it while its agent only waits for them; see {@link #takeBack}. */
    public void lend() {
      tell(NodePlaces.this.lend(this));
    }

    /**
     * Takes it again, be there room or not: the step goes on, and cannot wait. Changes nothing
     * where the place was given back meanwhile.
     */
    public void takeBack() {
      synchronized (NodePlaces.this) {
        if (standing == Standing.LENT) {
          hold(this);
        }
      }
    }

    /** Ends the wait, or lets others have the place. The second time changes nothing. */
    public void giveBack() {
      tell(leave(this));
    }
  }

  private enum Standing {
    WAITING,
    HELD,
    LENT,
    GONE
  }

  /**
   * Asks for a place. Where there is one, it is {@link Place#held} at once and nobody is told.
   *
   * @param visitor whether the agent comes from a durable wait
   */
  public Place ask(PlaceRequest request, boolean visitor, Waiter waiter) {
    Place place = new Place(request, visitor, waiter);
    tell(enter(place));
    return place;
  }

  /** Takes a place, be there one or not: for what cannot wait. */
  public synchronized Place insist(PlaceRequest request) {
    Place place = new Place(request, false, null);
    hold(place);
    return place;
  }

  private synchronized List<Runnable> enter(Place place) {
    if (place.visitor) {
      arrived++;
    }
    if (queue.size() == 0 && room.missing(place.request).isEmpty()) {
      hold(place);
      return List.of();
    }
    queue.add(place);
    visitors += place.visitor ? 1 : 0;
    List<Runnable> told = serve(place);
    if (queue.size() > settings.waiting().most()) {
      queue.last().ifPresent(last -> told.add(away(last)));
    }
    return told;
  }

  private synchronized List<Runnable> leave(Place place) {
    Standing before = place.standing;
    place.standing = Standing.GONE;
    return switch (before) {
      case HELD -> {
        room.giveBack(place.request);
        held.remove(place);
        yield serve(null);
      }
      case WAITING -> {
        unqueue(place);
        // It may have been the one that the others had to wait for.
        yield serve(null);
      }
      case LENT, GONE -> List.of();
    };
  }

  private synchronized List<Runnable> lend(Place place) {
    if (place.standing != Standing.HELD) {
      return List.of();
    }
    List<Runnable> told = leave(place);
    place.standing = Standing.LENT;
    return told;
  }

  /** Gives out what places there are. */
  private List<Runnable> serve(Place asking) {
    List<Runnable> told = new ArrayList<>();
    Optional<Place> next = next();
    while (next.isPresent()) {
      Place place = next.get();
      visitors -= place.visitor ? 1 : 0;
      hold(place);
      if (place != asking) {
        told.add(place.waiter::granted);
      }
      next = next();
    }
    return told;
  }

  /** With no room for any, thousands that wait are not looked through after each that is served. */
  private Optional<Place> next() {
    return room.full()
        ? Optional.empty()
        : queue.next(place -> room.missing(place.request).isEmpty(), room::use);
  }

  private void hold(Place place) {
    room.take(place.request);
    place.standing = Standing.HELD;
    place.since = clock.instant();
    held.add(place);
  }

  private void unqueue(Place place) {
    if (queue.remove(place)) {
      visitors -= place.visitor ? 1 : 0;
    }
  }

  private Runnable away(Place place) {
    ResourceExhausted why =
        room.missing(place.request).orElseGet(() -> new ResourceExhausted(Resource.AGENTS, 1, 0));
    unqueue(place);
    place.standing = Standing.GONE;
    return () -> place.waiter.sentAway(why);
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
    room.heap(heapPercent);
    List<Runnable> told = serve(null);
    sendAway(heapPercent >= settings.node().heapPercent(), now, told);
    press(now);
    return told;
  }

  /** The last ones first: the first of the queue are about to be served. */
  private void sendAway(boolean tight, Instant now, List<Runnable> told) {
    Instant before = now.minus(settings.waiting().longest());
    for (int i = 0; i < settings.waiting().sentAwayAtOnce(); i++) {
      Optional<Place> last = queue.last().filter(place -> tight || place.asked.isBefore(before));
      if (last.isEmpty() || queue.size() <= settings.waiting().keep()) {
        return;
      }
      told.add(away(last.get()));
    }
  }

  private void press(Instant now) {
    long yielding = held.stream().filter(Place::yields).count();
    Optional<Place> longest = queue.longest();
    if (longest.isEmpty() || yielding >= settings.mostYielding()) {
      return;
    }
    Map<AtWork, Place> others =
        held.stream()
            .filter(place -> !place.yields())
            .collect(Collectors.toMap(Place::atWork, place -> place, (one, other) -> one));
    settings
        .precedence()
        .givesWay(longest.get().request, others.keySet(), now)
        .ifPresent(victim -> others.get(victim).yields = true);
  }

  /** What room there is. */
  synchronized NodeRoom room(NodeAddress node, long life) {
    List<AtWork> others =
        held.stream().filter(place -> !place.yields()).map(Place::atWork).toList();
    return new NodeRoom(
        node,
        life,
        queue.size() == 0 ? room.free() : 0,
        room.freeTokens(),
        settings.node().agents(),
        visitors,
        arrived,
        mostOf(room.atWork()),
        settings.precedence().lowest(others, clock.instant()));
  }

  /** Agents at work now. */
  public synchronized int taken() {
    return room.taken();
  }

  /** Agents that wait for a place in memory. */
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
