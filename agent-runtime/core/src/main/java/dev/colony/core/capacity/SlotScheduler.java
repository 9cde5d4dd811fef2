package dev.colony.core.capacity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.core.capacity.CapacitySettings.Shares;
import dev.colony.core.capacity.CapacityUse.CapacityReport;
import dev.colony.core.capacity.Cascade.WaitingAgent;
import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotScheduler.Candidate;
import dev.colony.vcm.table.NodeAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who of those that wait durably is woken now, and for which node.
 *
 * <p>One is woken for each free slot, and a few beyond that, who wait in the node's memory: there
 * they stand in one order with those that have never been suspended, so that agents which wait
 * durably have their turn on a node that is never free, and they have others give way to them. Who
 * was woken counts until it is seen on the node, see {@link InFlightWakes}.
 *
 * <p>What it knows is lost without harm: nodes report again and again, and who waits durably does
 * so until it has been woken. Not thread-safe.
 */
public final class SlotScheduler {

  private final FairQueue<Candidate> queue;
  private final Shares shares;
  private final Preemption preemption;
  private final Duration grace;
  private final int ahead;
  private final Map<NodeAddress, CapacityReport> reports = new TreeMap<>();
  private final Map<NodeAddress, InFlightWakes> inFlight = new HashMap<>();

  /**
   * That one is to be woken.
   *
   * @param node where it is to run
   * @param how why there
   */
  public record Assignment(Candidate who, NodeAddress node, Cascade how) {}

  /**
   * @param strictEvery see {@link FairQueue}
   * @param grace how long an agent that was woken counts without being seen
   * @param ahead how many may be woken for each node beyond its free slots
   */
  public SlotScheduler(
      Preemption preemption, int strictEvery, Shares shares, Duration grace, int ahead) {
    this.queue = new FairQueue<>(preemption.aging(), strictEvery, false, Candidate::request);
    this.shares = shares;
    this.preemption = preemption;
    this.grace = grace;
    this.ahead = ahead;
  }

  public void reported(CapacityReport report) {
    reports.put(report.node(), report);
    inFlight.computeIfAbsent(report.node(), node -> new InFlightWakes()).reported(report);
  }

  /** Only these nodes are there any more. */
  public void only(Set<NodeAddress> nodes) {
    reports.keySet().retainAll(nodes);
    inFlight.keySet().retainAll(nodes);
  }

  /** How many can be woken at most now; 0 where it is no use to look who waits. */
  public int wakeable(Instant now) {
    inFlight.values().forEach(woken -> woken.expire(now, grace));
    return reports.values().stream().mapToInt(report -> Math.max(0, allowance(report))).sum();
  }

  /**
   * Wakes those whose turn it is, in that order; they count as on the way from then on.
   *
   * @param waiting the first of those who wait, of each tenant
   */
  public List<Assignment> assignments(Collection<Candidate> waiting, Instant now) {
    waiting.stream().filter(one -> !underWay(one)).forEach(queue::add);
    Set<Candidate> left = new HashSet<>(waiting);
    List<Assignment> assignments = new ArrayList<>();
    int most = wakeable(now);
    while (assignments.size() < most) {
      Optional<Candidate> next = queue.next(one -> assignment(one, now).isPresent(), this::use);
      if (next.isEmpty()) {
        break;
      }
      left.remove(next.get());
      Assignment assignment = assignment(next.get(), now).orElseThrow();
      inFlight.get(assignment.node()).add(next.get(), now);
      assignments.add(assignment);
    }
    left.forEach(queue::remove);
    return assignments;
  }

  /** One that was to be woken does not come. */
  public void stays(Candidate who) {
    inFlight.values().forEach(woken -> woken.remove(who));
  }

  private Optional<Assignment> assignment(Candidate who, Instant now) {
    List<CapacityReport> open =
        reports.values().stream().filter(report -> allowance(report) > 0).map(this::left).toList();
    return switch (Cascade.decide(who.agent(), open, preemption, now)) {
      case Cascade.HardAffinity hard -> Optional.of(new Assignment(who, hard.node(), hard));
      case Cascade.SoftAffinity soft -> Optional.of(new Assignment(who, soft.node(), soft));
      case Cascade.SuspendLower lower -> Optional.of(new Assignment(who, lower.node(), lower));
      case Cascade.Queue queued ->
          open.stream()
              .filter(report -> who.agent().mayRunOn(report.node()))
              .max(
                  Comparator.<CapacityReport, Boolean>comparing(
                          report -> who.agent().atHome(report.node()))
                      .thenComparingInt(report -> allowance(reports.get(report.node()))))
              .map(report -> new Assignment(who, report.node(), queued));
    };
  }

  /** What is left of a node's capacity when all who are to come have come. */
  private CapacityReport left(CapacityReport report) {
    InFlightWakes woken = inFlight.get(report.node());
    return report.without(woken.size() + report.visitors(), woken.tokens());
  }

  private int allowance(CapacityReport report) {
    return report.free() + ahead - report.visitors() - inFlight.get(report.node()).size();
  }

  private boolean underWay(Candidate who) {
    return inFlight.values().stream().anyMatch(woken -> woken.includes(who));
  }

  private double use(String tenant) {
    long used = 0;
    long capacity = 0;
    for (CapacityReport report : reports.values()) {
      used += report.atWork().getOrDefault(tenant, 0) + inFlight.get(report.node()).of(tenant);
      capacity += report.capacity();
    }
    return capacity == 0 ? 0 : (double) used / capacity / shares.of(tenant);
  }

  /**
   * An agent that waits durably for capacity.
   *
   * @param suspension the number of the suspension that waits
   */
  public record Candidate(WaitingAgent agent, long suspension) {

    public SlotRequest request() {
      return agent.request();
    }

    /** Whether both are the same wait of the same agent, whatever is known of it. */
    boolean same(Candidate other) {
      return suspension == other.suspension && request().agent().equals(other.request().agent());
    }
  }

  /**
   * Those who were woken for a node and have not been seen there: they count as if they were there,
   * so that no other agent is woken for the same slot. Who does not come within a while does not
   * count any more. Not thread-safe.
   */
  static final class InFlightWakes {

    private final List<Woken> woken = new ArrayList<>();
    private long life;
    private long arrived;

    /** One that was woken. */
    record Woken(Candidate who, Instant at) {}

    void reported(CapacityReport report) {
      if (report.life() != life) {
        woken.clear();
      } else {
        int come = (int) Math.min(woken.size(), Math.max(0, report.arrived() - arrived));
        woken.subList(0, come).clear();
      }
      life = report.life();
      arrived = report.arrived();
    }

    void add(Candidate who, Instant now) {
      woken.add(new Woken(who, now));
    }

    void remove(Candidate who) {
      woken.removeIf(one -> one.who().same(who));
    }

    /** Gives up those who were woken too long ago. */
    void expire(Instant now, Duration grace) {
      Iterator<Woken> oldest = woken.iterator();
      while (oldest.hasNext() && oldest.next().at().plus(grace).isBefore(now)) {
        oldest.remove();
      }
    }

    int size() {
      return woken.size();
    }

    long tokens() {
      return woken.stream().mapToLong(one -> one.who().request().tokens()).sum();
    }

    long of(String tenant) {
      return woken.stream().filter(one -> one.who().request().tenant().equals(tenant)).count();
    }

    boolean includes(Candidate who) {
      return woken.stream().anyMatch(one -> one.who().same(who));
    }
  }

  /**
   * That an agent wants to work.
   *
   * @param priority 0 to 100
   * @param tokens which it expects to hold in the model server; 0 if unknown
   * @param since when it has been waiting, over all the suspensions of this wait
   */
  public record SlotRequest(
      AgentId agent, AgentKind kind, int priority, long tokens, Instant since) {

    public SlotRequest {
      Objects.requireNonNull(agent, "agent");
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(since, "since");
    }

    public static SlotRequest of(AgentId agent, AgentBlueprint what, Instant since) {
      return new SlotRequest(
          agent,
          what.kind(),
          what.resources().priority(),
          what.resources().expectedTokens(),
          since);
    }

    /** Whose share it is taken from. */
    public String tenant() {
      return agent.tenant();
    }

    /** Whether it may be suspended where capacity is short; a service is there for others. */
    public boolean suspendable() {
      return kind != AgentKind.SERVICE;
    }

    /**
     * An agent that has a slot. Its effective priority stays what it was when it was given the
     * slot: what it has earned by waiting it does not lose by working, and gains nothing more.
     *
     * @param since when it was given the slot
     */
    public record AdmittedAgent(SlotRequest request, Instant since) {

      double effective(Aging aging) {
        return aging.effective(request, since);
      }

      Duration length(Instant now) {
        return Duration.between(since, now);
      }
    }
  }
}
