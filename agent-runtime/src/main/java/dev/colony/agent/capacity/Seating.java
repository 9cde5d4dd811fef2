package dev.colony.agent.capacity;

import dev.colony.vcm.table.NodeAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who of those that wait durably is woken now, and for which node.
 *
 * <p>One is woken for each free place, and a few beyond that, who wait in the node's memory: there
 * they stand in one order with those that have never been suspended, so that agents which wait
 * durably have their turn on a node that is never free, and they have others give way to them. Who
 * was woken counts until it is seen on the node, see {@link OnTheWay}.
 *
 * <p>What it knows is lost without harm: nodes report again and again, and who waits durably does
 * so until it has been woken. Not thread-safe.
 */
public final class Seating {

  private final FairQueue<Candidate> queue;
  private final Shares shares;
  private final Precedence precedence;
  private final Duration grace;
  private final int ahead;
  private final Map<NodeAddress, NodeRoom> rooms = new TreeMap<>();
  private final Map<NodeAddress, OnTheWay> onTheWay = new HashMap<>();

  /**
   * That one is to be woken.
   *
   * @param node where it is to run
   * @param how why there
   */
  public record Turn(Candidate who, NodeAddress node, Cascade how) {}

  /**
   * @param strictEvery see {@link FairQueue}
   * @param grace how long somebody who was woken counts without being seen
   * @param ahead how many may be woken for each node beyond its free places
   */
  public Seating(Precedence precedence, int strictEvery, Shares shares, Duration grace, int ahead) {
    this.queue = new FairQueue<>(precedence.aging(), strictEvery, false, Candidate::request);
    this.shares = shares;
    this.precedence = precedence;
    this.grace = grace;
    this.ahead = ahead;
  }

  /** A node has told its room. */
  public void reported(NodeRoom room) {
    rooms.put(room.node(), room);
    onTheWay.computeIfAbsent(room.node(), node -> new OnTheWay()).reported(room);
  }

  /** Only these nodes are there any more. */
  public void only(Set<NodeAddress> nodes) {
    rooms.keySet().retainAll(nodes);
    onTheWay.keySet().retainAll(nodes);
  }

  /** How many can be woken at most now; 0 where it is no use to look who waits. */
  public int places(Instant now) {
    onTheWay.values().forEach(woken -> woken.expire(now, grace));
    return rooms.values().stream().mapToInt(room -> Math.max(0, allowance(room))).sum();
  }

  /**
   * Wakes those whose turn it is, in that order; they count as on the way from then on.
   *
   * @param waiting the first of those who wait, of each tenant
   */
  public List<Turn> turns(Collection<Candidate> waiting, Instant now) {
    waiting.stream().filter(one -> !underWay(one)).forEach(queue::add);
    Set<Candidate> left = new HashSet<>(waiting);
    List<Turn> turns = new ArrayList<>();
    int most = places(now);
    while (turns.size() < most) {
      Optional<Candidate> next = queue.next(one -> turn(one, now).isPresent(), this::use);
      if (next.isEmpty()) {
        break;
      }
      left.remove(next.get());
      Turn turn = turn(next.get(), now).orElseThrow();
      onTheWay.get(turn.node()).add(next.get(), now);
      turns.add(turn);
    }
    left.forEach(queue::remove);
    return turns;
  }

  /** One that was to be woken does not come. */
  public void stays(Candidate who) {
    onTheWay.values().forEach(woken -> woken.remove(who));
  }

  private Optional<Turn> turn(Candidate who, Instant now) {
    List<NodeRoom> open =
        rooms.values().stream().filter(room -> allowance(room) > 0).map(this::left).toList();
    return switch (Cascade.decide(who.asker(), open, precedence, now)) {
      case Cascade.HardAffinity hard -> Optional.of(new Turn(who, hard.node(), hard));
      case Cascade.SoftAffinity soft -> Optional.of(new Turn(who, soft.node(), soft));
      case Cascade.SuspendLower lower -> Optional.of(new Turn(who, lower.node(), lower));
      case Cascade.Queue queued ->
          open.stream()
              .filter(room -> who.asker().mayRunOn(room.node()))
              .max(
                  Comparator.<NodeRoom, Boolean>comparing(room -> who.asker().atHome(room.node()))
                      .thenComparingInt(room -> allowance(rooms.get(room.node()))))
              .map(room -> new Turn(who, room.node(), queued));
    };
  }

  /** What is left of a node's room when all who are to come have come. */
  private NodeRoom left(NodeRoom room) {
    OnTheWay woken = onTheWay.get(room.node());
    return room.without(woken.size() + room.visitors(), woken.tokens());
  }

  private int allowance(NodeRoom room) {
    return room.free() + ahead - room.visitors() - onTheWay.get(room.node()).size();
  }

  private boolean underWay(Candidate who) {
    return onTheWay.values().stream().anyMatch(woken -> woken.includes(who));
  }

  private double use(String tenant) {
    long used = 0;
    long capacity = 0;
    for (NodeRoom room : rooms.values()) {
      used += room.atWork().getOrDefault(tenant, 0) + onTheWay.get(room.node()).of(tenant);
      capacity += room.capacity();
    }
    return capacity == 0 ? 0 : (double) used / capacity / shares.of(tenant);
  }
}
