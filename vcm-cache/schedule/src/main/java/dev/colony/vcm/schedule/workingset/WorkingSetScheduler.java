package dev.colony.vcm.schedule.workingset;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.Decision;
import dev.colony.vcm.schedule.Decision.Run;
import dev.colony.vcm.schedule.workingset.Orders.Eviction;
import dev.colony.vcm.schedule.workingset.Orders.PagedOut;
import dev.colony.vcm.schedule.workingset.Orders.Started;
import dev.colony.vcm.schedule.workingset.Orders.Touch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/**
 * Decides when and where the requests of agents run. A unit, one agent of one session, is resident
 * at one replica, which is where the blocks of its latest prompt are claimed; its requests go
 * there. A unit that is resident nowhere is loaded where its blocks fit beside all that is claimed;
 * where they fit nowhere, idle residents are paged out if that brings more than it costs; otherwise
 * the request waits. A request that has waited longer than the bound pages out whatever has to go.
 *
 * <p>An event costs O(replicas * (blocks of the prompt + residents)) for each request that is
 * tried.
 */
public final class WorkingSetScheduler {

  /** How much of an average a new observation makes up. */
  private static final double AVERAGE = 0.01;

  private final WorkingSetSettings settings;
  private final ClusterState cluster;
  private final Function<String, Access> access;
  private final Function<String, EvictionControl> control;
  private final double blockTokens;
  private final WaitOrder order;
  private final Absences absences;
  private final PageOut pageOuts;

  private final Map<String, Home> homes = new HashMap<>();
  private final Map<String, Unit> units = new HashMap<>();
  private final Map<Long, Request> requests = new HashMap<>();
  private final Map<Long, Request> held = new LinkedHashMap<>();
  private final List<Eviction> evictions = new ArrayList<>();

  /** Where something was given up that touches have to bring about. */
  private final Set<Home> outgrown = new LinkedHashSet<>();

  /** How many blocks of a unit's chain are to stay, where not all are. */
  private final Map<Unit, Integer> kept = new HashMap<>();

  private final List<PagedOut> pagedOut = new ArrayList<>();
  private final List<Started> started = new ArrayList<>();
  private long forcedLoads;

  private long nextUnit = 1;
  private double wakeAt = Double.NEGATIVE_INFINITY;
  private double meanWorkingSet;
  private double meanPrefill;

  /**
   * @param cluster what is known of the replicas; changed by this scheduler as requests go out and
   *     end, and by its owner as replicas come, go and tell of their caches
   * @param access how each replica stands to calls
   * @param control how each replica's cache is told what is wanted least
   * @param blockTokens tokens of a block, above 0
   */
  public WorkingSetScheduler(
      WorkingSetSettings settings,
      ClusterState cluster,
      Function<String, Access> access,
      Function<String, EvictionControl> control,
      double blockTokens) {
    this.control = control;
    this.settings = settings;
    this.cluster = cluster;
    this.access = access;
    this.blockTokens = blockTokens;
    this.order = new WaitOrder(settings);
    this.absences = new Absences(settings.absences());
    this.pageOuts = new PageOut(settings, absences);
  }

  /**
   * A request of an agent has come.
   *
   * @param number of the request, not used before
   * @param unit names the agent and its session
   * @param last whether the agent asks nothing after it
   */
  public Orders arrived(long number, String unit, Ask ask, boolean last, double now) {
    return arrived(number, unit, ask, last, now, now);
  }

  /**
   * The same of a request that has waited before.
   *
   * @param since when it came, at most {@code now}: its wait counts from there
   */
  public Orders arrived(long number, String unit, Ask ask, boolean last, double since, double now) {
    Unit owner = units.computeIfAbsent(unit, key -> new Unit(nextUnit++, key, now));
    Request request = request(number, owner, ask, last, since, now);
    Round round = new Round(now);
    if (owner.home != null) {
      if (owner.idle() && owner.returning()) {
        round.migrate(request);
      }
      round.start(request);
    } else if (!overtakes(owner) || !round.load(request, false)) {
      held.put(number, request);
      owner.waiting++;
    }
    return orders(now);
  }

  private Request request(
      long number, Unit owner, Ask ask, boolean last, double since, double now) {
    Request request = new Request(number, owner, ask, ask.outputBlocks(), since, last);
    requests.put(number, request);
    if (owner.returning() && owner.idle()) {
      absences.seen(now - owner.lastEvent);
    }
    return request;
  }

  /**
   * A resident has begun a turn at its home without asking.
   *
   * @param number of the request, not used before
   * @throws IllegalStateException if the unit is resident nowhere
   */
  public Orders began(long number, String unit, Ask ask, double now) {
    Unit owner = units.get(unit);
    if (owner == null || owner.home == null) {
      throw new IllegalStateException(unit + " is resident nowhere");
    }
    Request request = request(number, owner, ask, false, now, now);
    new Round(now).start(request);
    return orders(now);
  }

  /**
   * A unit is resident at a replica, by what is known from elsewhere: whether it fits there is not
   * asked. Where it was resident before, it is not any longer.
   */
  public void placed(String unit, String replica, long[] chain, double now) {
    Unit owner = units.computeIfAbsent(unit, key -> new Unit(nextUnit++, key, now));
    if (owner.home != null) {
      owner.home.leave(owner);
    }
    cluster.join(replica);
    homes.computeIfAbsent(replica, id -> new Home(id, cluster.capacity(id))).claim(owner, chain);
    owner.lastEvent = now;
    owner.turns = Math.max(1, owner.turns);
  }

  /**
   * A unit gives up its home, or ends. Nothing happens where it has none.
   *
   * @param ended whether it is forgotten, too; its requests must have ended then
   */
  public Orders left(String unit, boolean ended, double now) {
    Unit owner = units.get(unit);
    if (owner != null && owner.home != null) {
      leave(owner);
    }
    if (owner != null && ended) {
      units.remove(unit);
    }
    return orders(now);
  }

  /**
   * A replica is gone: its residents are resident nowhere, and it is asked for nothing any more.
   *
   * @return the units that were resident there
   */
  public List<String> replicaGone(String replica) {
    cluster.leave(replica);
    Home home = homes.remove(replica);
    if (home == null) {
      return List.of();
    }
    List<Unit> residents = home.all();
    residents.forEach(home::leave);
    return residents.stream().map(unit -> unit.key).toList();
  }

  /** Where a unit is resident; empty where it is nowhere. */
  public Optional<String> home(String unit) {
    return Optional.ofNullable(units.get(unit))
        .flatMap(owner -> Optional.ofNullable(owner.home))
        .map(home -> home.replica);
  }

  /** Of those blocks the ones that no resident of a replica claims and no request uses there. */
  public long[] unclaimed(String replica, long[] blocks) {
    Home home = homes.get(replica);
    return Arrays.stream(blocks)
        .filter(block -> home == null || !(home.claims.contains(block) || home.inFlight(block)))
        .toArray();
  }

  /** How many blocks residents of a replica claim, those that several claim once. */
  public int claimed(String replica) {
    Home home = homes.get(replica);
    return home == null ? 0 : home.claims.size();
  }

  /** How many requests were loaded because they had waited beyond the bound. */
  public long forcedLoads() {
    return forcedLoads;
  }

  /** Whether a unit's request is tried at once: where no request waits that goes first. */
  private boolean overtakes(Unit owner) {
    return held.isEmpty()
        || (owner.returning() && held.values().stream().noneMatch(other -> other.unit.returning()));
  }

  /** The first token of its reply has come; what was cached of its prompt is not told. */
  public void firstToken(long number, double now) {
    Request request = requests.get(number);
    if (request != null && request.dispatch != null) {
      cluster.firstToken(request.dispatch, now);
    }
  }

  /** The first token of its reply has come, with what the replica says of its prompt. */
  public void firstToken(long number, int cachedBlocks, double now) {
    Request request = requests.get(number);
    if (request != null && request.dispatch != null) {
      Ask ask = request.ask;
      cluster.firstToken(request.dispatch, now);
      cluster.cached(request.dispatch, cachedBlocks);
      double cached = ask.cachedTokens(cachedBlocks);
      double seconds =
          cluster.speed(request.home.replica).seconds(ask.promptTokens() - cached, cached);
      meanPrefill += AVERAGE * (seconds - meanPrefill);
    }
  }

  /**
   * A request has ended.
   *
   * @param returnsIn in how many seconds the agent asks again, by its own word; empty where it does
   *     not say
   * @param remainingTurns how many requests it still has, by its own word
   * @param answered false where the replica may not have computed the prompt
   */
  public Orders ended(
      long number,
      OptionalDouble returnsIn,
      OptionalInt remainingTurns,
      boolean answered,
      double now) {
    Request request = requests.remove(number);
    if (request == null) {
      return orders(now);
    }
    Unit unit = request.unit;
    if (request.dispatch == null) {
      held.remove(number);
      unit.waiting--;
    } else {
      cluster.ended(request.dispatch, now, answered);
      request.home.ended(request.ask.blocks(), request.outputBlocks);
      unit.inFlight--;
    }
    unit.lastEvent = now;
    unit.returnsAt =
        returnsIn.isPresent()
            ? OptionalDouble.of(now + returnsIn.getAsDouble())
            : OptionalDouble.empty();
    unit.remainingTurns = remainingTurns;
    if (request.last && unit.idle() && unit.waiting == 0) {
      if (unit.home != null) {
        leave(unit);
      }
      units.remove(unit.key);
    }
    return orders(now);
  }

  /** Tries those that wait: after an end, and when the scheduler has asked for it. */
  public Orders tried(double now) {
    Round round = new Round(now);
    int returning = 0;
    int newcomers = 0;
    List<Request> waiting = new ArrayList<>(held.values());
    waiting.sort(order.at(now));
    for (Request request : waiting) {
      Unit unit = request.unit;
      boolean goes = unit.home != null;
      if (goes) {
        round.start(request);
      } else {
        WaitOrder.Class kind = order.of(request, now);
        if (kind == WaitOrder.Class.NEWCOMER) {
          goes = newcomers++ < settings.newcomerTries() && round.load(request, false);
        } else if (returning < settings.returningTries()) {
          goes = round.load(request, kind == WaitOrder.Class.OVERDUE);
          returning += goes ? 0 : 1;
          forcedLoads += goes && kind == WaitOrder.Class.OVERDUE ? 1 : 0;
        }
      }
      if (goes) {
        held.remove(request.number);
        unit.waiting--;
      }
    }
    return orders(now);
  }

  /** For tests: what is claimed where. */
  Collection<Home> homes() {
    return homes.values();
  }

  private Orders orders(double now) {
    OptionalDouble wake = OptionalDouble.empty();
    if (!held.isEmpty() && wakeAt <= now) {
      wakeAt = now + settings.wakeSeconds();
      wake = OptionalDouble.of(wakeAt);
    }
    Orders orders = new Orders(unused(), touches(now), pagedOut, started, wake);
    evictions.clear();
    outgrown.clear();
    kept.clear();
    pagedOut.clear();
    started.clear();
    return orders;
  }

  /** What was given up a moment ago may be used by a request that has started since. */
  private List<Eviction> unused() {
    List<Eviction> unused = new ArrayList<>();
    for (Eviction eviction : evictions) {
      Home home = homes.get(eviction.replica());
      long[] blocks =
          home == null
              ? new long[0]
              : Arrays.stream(eviction.blocks()).filter(block -> !home.inFlight(block)).toArray();
      if (blocks.length > 0) {
        unused.add(new Eviction(eviction.replica(), blocks));
      }
    }
    return unused;
  }

  /**
   * What idle residents claim where something was given up, that which is wanted again last first,
   * so that it is the first to go after what was given up.
   */
  private List<Touch> touches(double now) {
    List<Touch> touches = new ArrayList<>();
    for (Home home : outgrown) {
      List<Unit> idle = home.idle();
      idle.sort(Comparator.comparingDouble((Unit unit) -> pageOuts.rest(unit, now)).reversed());
      for (Unit unit : idle) {
        long[] blocks = Arrays.copyOf(unit.blocks, kept.getOrDefault(unit, unit.blocks.length));
        if (Arrays.stream(blocks).anyMatch(block -> !home.inFlight(block))) {
          touches.add(new Touch(home.replica, blocks));
        }
      }
    }
    return touches;
  }

  private void pageOut(Unit unit) {
    pagedOut.add(new PagedOut(unit.key, unit.home.replica));
    leave(unit);
  }

  private void leave(Unit unit) {
    Home home = unit.home;
    givenUp(home, home.leave(unit));
  }

  private void givenUp(Home home, long[] blocks) {
    switch (control.apply(home.replica)) {
      case HINTS -> evictions.add(new Eviction(home.replica, blocks));
      case TOUCHES -> outgrown.add(home);
      case NONE -> {}
    }
  }

  /** The decisions of one moment. */
  private final class Round {

    private final double now;
    private ClusterSnapshot snapshot;

    Round(double now) {
      this.now = now;
      refresh();
      for (ClusterSnapshot.Replica replica : snapshot.replicas()) {
        home(replica).observe();
      }
    }

    private void refresh() {
      snapshot = cluster.snapshot(now, access);
    }

    private Home home(ClusterSnapshot.Replica replica) {
      Home home = homes.computeIfAbsent(replica.id(), id -> new Home(id, 0));
      home.capacity = cluster.capacity(replica.id());
      return home;
    }

    /** What a request costs at a replica in seconds, those who come after included. */
    private double cost(Request request, ClusterSnapshot.Replica replica) {
      return replica.backlogSeconds() + (1 + congestion()) * prefill(request, replica);
    }

    private double congestion() {
      return settings.congestion() * snapshot.queueLength();
    }

    private double prefill(Request request, ClusterSnapshot.Replica replica) {
      double cached = request.ask.cachedTokens(replica.residency().prefix(request.ask.blocks()));
      return replica.speed().seconds(request.ask.promptTokens() - cached, cached);
    }

    private boolean takes(Request request, ClusterSnapshot.Replica replica) {
      return replica.access().available()
          && !replica.access().full()
          && !request.ask.excluded().contains(replica.id());
    }

    /**
     * The unit of a request gets a home, and the request goes there; false where it has to wait.
     */
    boolean load(Request request, boolean always) {
      Optional<ClusterSnapshot.Replica> found = fitting(request);
      if (found.isEmpty()) {
        found = pagedOut(request, always);
      }
      if (found.isEmpty()) {
        return false;
      }
      request.unit.home = home(found.get());
      start(request);
      return true;
    }

    private int needed(Request request, Home home) {
      return home.claims.missing(request.ask.blocks()) + request.outputBlocks + 1;
    }

    private Optional<ClusterSnapshot.Replica> fitting(Request request) {
      ClusterSnapshot.Replica best = null;
      double least = Double.POSITIVE_INFINITY;
      for (ClusterSnapshot.Replica replica : snapshot.replicas()) {
        Home home = home(replica);
        int needed = needed(request, home);
        if (!takes(request, replica)
            || (home.claims.size() + needed > home.capacity && !home.empty())) {
          continue;
        }
        double seconds =
            cost(request, replica)
                + meanPrefill * home.residents()
                + (held.isEmpty() ? 0 : settings.sharing() * needed);
        if (seconds < least) {
          least = seconds;
          best = replica;
        }
      }
      return Optional.ofNullable(best);
    }

    private Optional<ClusterSnapshot.Replica> pagedOut(Request request, boolean always) {
      ClusterSnapshot.Replica best = null;
      PageOut.Victims victims = null;
      double least = Double.POSITIVE_INFINITY;
      for (ClusterSnapshot.Replica replica : snapshot.replicas()) {
        if (!takes(request, replica)) {
          continue;
        }
        Home home = home(replica);
        int needed = needed(request, home);
        Optional<PageOut.Victims> freed =
            pageOuts.free(
                home,
                needed + home.claims.size() - home.capacity,
                replica.speed(),
                blockTokens,
                now,
                always);
        if (freed.isEmpty()) {
          continue;
        }
        double seconds =
            replica.backlogSeconds()
                + 2 * prefill(request, replica)
                - freed.get().gain() / home.capacity
                + settings.sharing() * needed;
        if (seconds < least) {
          least = seconds;
          best = replica;
          victims = freed.get();
        }
      }
      if (best != null) {
        victims.units().forEach(WorkingSetScheduler.this::pageOut);
      }
      return Optional.ofNullable(best);
    }

    /** A unit of which nothing runs leaves its home where another replica is faster. */
    void migrate(Request request) {
      Home from = request.unit.home;
      ClusterSnapshot.Replica best = null;
      double least = Double.POSITIVE_INFINITY;
      for (ClusterSnapshot.Replica replica : snapshot.replicas()) {
        Home home = home(replica);
        boolean own = home == from;
        if (own && replica.backlogSeconds() <= 0.05) {
          return;
        }
        boolean fits =
            own
                || (takes(request, replica)
                    && home.claims.size() + needed(request, home) <= home.capacity);
        if (!fits) {
          continue;
        }
        double seconds = cost(request, replica) - (own ? settings.migration() : 0);
        if (seconds < least) {
          least = seconds;
          best = replica;
        }
      }
      if (best != null && home(best) != from) {
        leave(request.unit);
        request.unit.home = home(best);
      }
    }

    /** A request goes to its unit's home. */
    void start(Request request) {
      Unit unit = request.unit;
      Home home = unit.home;
      ClusterSnapshot.Replica replica =
          snapshot.replicas().stream()
              .filter(one -> one.id().equals(home.replica))
              .findFirst()
              .orElseThrow();
      double prefill = prefill(request, replica);
      int cached = replica.residency().prefix(request.ask.blocks());
      Run run = new Decision.Run(home.replica, cost(request, replica), cached, prefill);
      unit.inFlight++;
      unit.turns++;
      unit.lastEvent = now;
      home.turn(unit, request.ask.blocks(), request.outputBlocks);
      request.home = home;
      request.dispatch = cluster.dispatched(request.ask, run, now, true);
      grown(home, replica);
      meanWorkingSet += AVERAGE * (request.ask.blocks().length - meanWorkingSet);
      started.add(new Started(request.number, run, request.dispatch));
      refresh();
    }

    /** Claims beyond the cache: a little is taken from the ends of idle chains, more pages out. */
    private void grown(Home home, ClusterSnapshot.Replica replica) {
      int room = home.capacity - home.outputBlocks();
      int over = home.claims.size() - room;
      double slack =
          Math.min(settings.slack() * home.capacity, settings.workingSetSlack() * meanWorkingSet);
      if (over <= 0) {
        return;
      }
      if (over <= slack) {
        for (PageOut.Tail tail : pageOuts.tails(home, over + 1, now)) {
          kept.put(tail.unit(), tail.unit().blocks.length - tail.blocks().length);
          givenUp(home, tail.blocks());
        }
        return;
      }
      for (Unit unit : pageOuts.ranked(home, replica.speed(), blockTokens, now)) {
        if (home.claims.size() <= room) {
          break;
        }
        pageOut(unit);
      }
    }
  }
}
