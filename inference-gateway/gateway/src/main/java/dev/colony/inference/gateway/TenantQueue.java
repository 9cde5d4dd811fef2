package dev.colony.inference.gateway;

import dev.colony.inference.gateway.AdmissionQueue.AdmissionRequest;
import dev.colony.inference.gateway.AdmissionSettings.TenantShare;
import java.util.Comparator;
import java.util.Iterator;
import java.util.TreeSet;

/** The calls of one tenant: those that wait, in their order, and how many run. */
final class TenantQueue<C> {

  /**
   * A call that waits.
   *
   * @param order by which calls of a tenant are served: its arrival, less the lead that its
   *     priority gives it. So a call is overtaken only by those that come within its aging
   */
  record Waiting<C>(C call, AdmissionRequest request, long arrivedNanos, long order, long number) {}

  private static final int PRIORITIES = AdmissionRequest.MOST_PRIORITY + 1;

  private final TreeSet<Waiting<C>> waiting =
      new TreeSet<>(
          Comparator.<Waiting<C>>comparingLong(Waiting::order).thenComparingLong(Waiting::number));

  /** Those of them that are not delayed. */
  private final TreeSet<Waiting<C>> eligible = new TreeSet<>(waiting.comparator());

  private final long[] costs = new long[PRIORITIES];
  private final String name;
  private final TenantShare share;
  private double start;
  private int running;

  /**
   * @param start its virtual time
   */
  TenantQueue(String name, TenantShare share, double start) {
    this.name = name;
    this.share = share;
    this.start = start;
  }

  String name() {
    return name;
  }

  TenantShare share() {
    return share;
  }

  /** The virtual time at which its next call starts. */
  double start() {
    return start;
  }

  int running() {
    return running;
  }

  int size() {
    return waiting.size();
  }

  /** Waiting calls for its weight. */
  double load() {
    return (double) waiting.size() / share.weight();
  }

  /** Whether a call of its may be admitted. */
  boolean ready() {
    return !eligible.isEmpty() && running < share.maxRunning();
  }

  /** What waits before a call of a priority, about. */
  long costBefore(int priority) {
    long cost = 0;
    for (int level = priority; level < PRIORITIES; level++) {
      cost += costs[level];
    }
    return cost;
  }

  /** Those that may be admitted, in their order. */
  Iterator<Waiting<C>> calls() {
    return eligible.iterator();
  }

  /** The one that goes last; there is one. */
  Waiting<C> last() {
    return waiting.last();
  }

  /** Whether a call would go before the one that goes last. */
  boolean precedesLast(Waiting<C> call) {
    return !waiting.isEmpty() && waiting.comparator().compare(call, waiting.last()) < 0;
  }

  /**
   * @param delayed whether it is not to be admitted before it is resumed
   */
  void add(Waiting<C> call, boolean delayed) {
    waiting.add(call);
    if (!delayed) {
      eligible.add(call);
    }
    costs[call.request().priority()] += call.request().costTokens();
  }

  void remove(Waiting<C> call) {
    if (!waiting.remove(call)) {
      throw new IllegalStateException("call " + call + " does not wait for tenant " + name);
    }
    eligible.remove(call);
    costs[call.request().priority()] -= call.request().costTokens();
  }

  /** Whether a call that waits is not to be admitted before it is resumed. */
  boolean delayed(Waiting<C> call) {
    return !eligible.contains(call);
  }

  /** A call that was delayed may be admitted. */
  void resume(Waiting<C> call) {
    eligible.add(call);
  }

  /** A call of this cost begins. */
  void begin(long costTokens) {
    running++;
    start += (double) costTokens / share.weight();
  }

  /**
   * A call has ended.
   *
   * @param more what it took beyond what it was taken to cost
   * @param virtualTime below which its own does not fall: what it did not use is no credit
   */
  void end(long more, double virtualTime) {
    running--;
    start = Math.max(virtualTime, start + (double) more / share.weight());
  }

  /** It has something to do again. */
  void startsAt(double virtualTime) {
    start = Math.max(start, virtualTime);
  }

  /** How fast calls are answered, learned from those that have ended. */
  static final class Pace {

    private static final double WEIGHT = 0.1;
    private static final int FEWEST = 8;

    private double nanosPerToken;
    private long calls;

    /** A call has ended that took so many tokens; none says nothing. */
    void ended(long tokens, long tookNanos) {
      if (tokens <= 0 || tookNanos < 0) {
        return;
      }
      double seen = (double) tookNanos / tokens;
      nanosPerToken = calls == 0 ? seen : nanosPerToken + WEIGHT * (seen - nanosPerToken);
      calls++;
    }

    /**
     * How long it takes until so much has been begun.
     *
     * @param slots in which calls run
     * @param share of them, from 0 to 1
     * @return 0 while too little is known to say
     */
    long nanos(long tokens, int slots, double share) {
      return calls < FEWEST || slots == 0
          ? 0
          : (long) Math.min(Long.MAX_VALUE / 4.0, tokens * nanosPerToken / (slots * share));
    }
  }
}
