package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.CostRouter.Decision.Run;
import dev.colony.vcm.schedule.Home.Claims;
import dev.colony.vcm.schedule.Home.Unit;
import dev.colony.vcm.schedule.Orders.PagedOut;
import dev.colony.vcm.schedule.Orders.Started;
import dev.colony.vcm.schedule.PageOut.Absences;
import dev.colony.vcm.schedule.PageOut.CacheOrders;
import dev.colony.vcm.schedule.WaitQueue.Request;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Decides when and where the requests of agents run. A unit, one agent of one session, is resident
 * at one replica, which is where the blocks of its latest prompt are claimed; its requests go
 * there. A unit that is resident nowhere is loaded where its blocks fit beside all that is claimed;
 * where they fit nowhere, idle residents are paged out if that brings more than it costs; otherwise
 * the request waits. A request that has waited longer than the bound pages out whatever has to go.
 *
 * <p>An event costs O(waiting * log(waiting) + replicas + residents), and O(blocks of the prompt +
 * replicas) for each request that is tried.
 */
public final class WorkingSetScheduler {

  /** How much of an average a new observation makes up. */
  private static final double AVERAGE = 0.01;

  /** Seconds between two declared returns that are taken to be one: a message's way differs. */
  private static final double SAME = 0.25;

  private final WorkingSetSettings settings;
  private final ClusterState cluster;
  private final Function<String, Access> access;
  private final double blockTokens;
  private final WaitQueue held;
  private final Absences absences;
  private final PageOut pageOuts;
  private final CacheOrders caches;
  private final Claims.Index claims = new Claims.Index();

  private final Map<String, Home> homes = new HashMap<>();
  private final Map<String, Unit> units = new HashMap<>();
  private final Map<Long, Request> requests = new HashMap<>();
  private final List<PagedOut> pagedOut = new ArrayList<>();
  private final List<Started> started = new ArrayList<>();
  private long forcedLoads;

  private long nextUnit = 1;
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
    this.settings = settings;
    this.cluster = cluster;
    this.access = access;
    this.blockTokens = blockTokens;
    this.held = new WaitQueue(settings);
    this.absences = new Absences(settings.absences());
    this.pageOuts = new PageOut(settings, absences);
    this.caches = new CacheOrders(control, pageOuts);
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
    Placement placement = placement(now);
    if (owner.home != null) {
      if (owner.idle() && owner.returning()) {
        placement
            .migration(request)
            .ifPresent(replica -> {
              leave(owner);
              owner.home = homeAt(replica.id());
            });
      }
      start(request, placement, now);
    } else if (!held.overtakenBy(owner) || !load(request, placement, false, now)) {
      held.add(request);
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
    start(request, placement(now), now);
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
    homeAt(replica).claim(owner, chain);
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
    home.claims.end();
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

  /** How many requests were loaded because they had waited beyond the bound. */
  public long forcedLoads() {
    return forcedLoads;
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
      meanPrefill = average(meanPrefill, seconds);
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
      held.remove(request);
    } else {
      cluster.ended(request.dispatch, now, answered);
      request.home.ended(request.ask.blocks(), request.outputBlocks);
      unit.inFlight--;
    }
    unit.lastEvent = now;
    unit.returnsAt = later(returnsIn, now);
    unit.remainingTurns = remainingTurns;
    if (request.last && unit.idle() && unit.waiting == 0) {
      if (unit.home != null) {
        leave(unit);
      }
      units.remove(unit.key);
    }
    return orders(now);
  }

  /**
   * More is known of an idle unit than when its turn ended: it replaces what was declared then.
   * Nothing happens where the unit is not known, or a request of it runs.
   *
   * @param returnsIn and {@code remainingTurns}: as in {@link #ended}
   * @return whether it is something else, so that those who wait may be tried
   */
  public boolean declared(
      String unit, OptionalDouble returnsIn, OptionalInt remainingTurns, double now) {
    Unit owner = units.get(unit);
    if (owner == null || !owner.idle()) {
      return false;
    }
    OptionalDouble before = owner.returnsAt;
    boolean other =
        before.isPresent() != returnsIn.isPresent()
            || !owner.remainingTurns.equals(remainingTurns)
            || (before.isPresent()
                && Math.abs(before.getAsDouble() - now - returnsIn.getAsDouble()) > SAME);
    if (other) {
      owner.returnsAt = later(returnsIn, now);
      owner.remainingTurns = remainingTurns;
    }
    return other;
  }

  private static OptionalDouble later(OptionalDouble in, double now) {
    return in.isPresent() ? OptionalDouble.of(now + in.getAsDouble()) : in;
  }

  /** Tries those that wait: after an end, and when the scheduler has asked for it. */
  public Orders tried(double now) {
    return tried(held.sorted(now), now);
  }

  /**
   * Tries those only that have waited beyond the bound: where a resident's turn has ended and its
   * next one begins at once, so that it is idle for no longer than this.
   */
  public Orders triedOverdue(double now) {
    List<Request> overdue = held.overdue(now);
    return overdue.isEmpty() ? orders(now) : tried(overdue, now);
  }

  private Orders tried(List<Request> waiting, double now) {
    Placement placement = placement(now);
    int returning = 0;
    int newcomers = 0;
    for (Request request : waiting) {
      Unit unit = request.unit;
      boolean goes = unit.home != null;
      if (goes) {
        start(request, placement, now);
      } else {
        WaitQueue.Class kind = held.of(request, now);
        if (kind == WaitQueue.Class.NEWCOMER) {
          goes = newcomers++ < settings.newcomerTries() && load(request, placement, false, now);
        } else if (returning < settings.returningTries()) {
          goes = load(request, placement, kind == WaitQueue.Class.OVERDUE, now);
          returning += goes ? 0 : 1;
          forcedLoads += goes && kind == WaitQueue.Class.OVERDUE ? 1 : 0;
        }
      }
      if (goes) {
        held.remove(request);
      }
    }
    return orders(now);
  }

  /** For tests: what is claimed where. */
  Collection<Home> homes() {
    return homes.values();
  }

  private Orders orders(double now) {
    Orders orders =
        new Orders(
            caches.evictions(homes::get), caches.touches(now), pagedOut, started, held.wake(now));
    caches.told();
    pagedOut.clear();
    started.clear();
    return orders;
  }

  private void pageOut(Unit unit) {
    pagedOut.add(new PagedOut(unit.key, unit.home.replica));
    leave(unit);
  }

  private void leave(Unit unit) {
    Home home = unit.home;
    caches.givenUp(home, home.leave(unit));
  }

  private Home homeAt(String replica) {
    Home home = homes.computeIfAbsent(replica, id -> new Home(id, 0, claims));
    home.capacity = cluster.capacity(replica);
    return home;
  }

  /** What is known now, for the decisions of this moment. */
  private Placement placement(double now) {
    ClusterSnapshot snapshot = cluster.snapshot(now, access);
    Map<String, Home> known = new HashMap<>();
    for (ClusterSnapshot.Replica replica : snapshot.replicas()) {
      Home home = homeAt(replica.id());
      home.observe();
      known.put(replica.id(), home);
    }
    return new Placement(settings, pageOuts, claims, known, blockTokens, now, snapshot);
  }

  /** The unit of a request gets a home, and the request goes there; false where it has to wait. */
  private boolean load(Request request, Placement placement, boolean always, double now) {
    Optional<Placement.Choice> choice =
        placement.load(request, meanPrefill, !held.isEmpty(), always);
    if (choice.isEmpty()) {
      return false;
    }
    choice.get().victims().forEach(this::pageOut);
    request.unit.home = homeAt(choice.get().replica().id());
    start(request, placement, now);
    return true;
  }

  /** A request goes to its unit's home. */
  private void start(Request request, Placement placement, double now) {
    Unit unit = request.unit;
    Home home = unit.home;
    ClusterSnapshot.Replica replica = placement.replica(home);
    Run run = placement.run(request, replica);
    unit.inFlight++;
    unit.turns++;
    unit.lastEvent = now;
    home.turn(unit, request.ask.blocks(), request.outputBlocks);
    request.home = home;
    request.dispatch = cluster.dispatched(request.ask, run, now, true);
    grown(home, replica.speed(), now);
    meanWorkingSet = average(meanWorkingSet, request.ask.blocks().length);
    started.add(new Started(request.number, run, request.dispatch));
    placement.changed(home, cluster.snapshot(now, access));
  }

  /** The first observation is the average, so that it is none of too little for long. */
  private static double average(double before, double seen) {
    return before == 0 ? seen : before + AVERAGE * (seen - before);
  }

  /** Claims beyond the cache: a little is taken from the ends of idle chains, more pages out. */
  private void grown(Home home, PrefillSpeed speed, double now) {
    int room = home.capacity - home.outputBlocks();
    int over = home.claims.size() - room;
    if (over <= 0) {
      return;
    }
    double slack =
        Math.min(settings.slack() * home.capacity, settings.workingSetSlack() * meanWorkingSet);
    if (over <= slack) {
      pageOuts.tails(home, over + 1, now).forEach(tail -> caches.givenUp(home, tail));
      return;
    }
    for (PageOut.Valued one : PageOut.ranked(pageOuts.valued(home, speed, blockTokens, now))) {
      if (home.claims.size() <= room) {
        break;
      }
      pageOut(one.unit());
    }
  }
}
