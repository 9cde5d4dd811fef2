package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Ask;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the authority knows of one agent. */
final class AgentLeases {

  private static final long[] NOTHING = {};

  /** A lease that may be valid at its holder. */
  static final class Granted {
    final Lease lease;
    final String holder;
    final long ask;

    /** Of the last report of the agent before it was granted. */
    final long number;

    /** When it has ended at its holder for certain. */
    double until;

    /**
     * Whether a holder may have heard of it. One that is kept for an agent in no node's memory is
     * no holder's yet.
     */
    boolean told;

    /** The scheduler's request of the turn that runs; 0 where none does. */
    long request;

    long turn;
    long[] blocks;

    /** What is to be evicted once it has ended, and not before. */
    long[] deferred = NOTHING;

    Granted(Lease lease, String holder, long ask, long number, double until, long[] blocks) {
      this.lease = lease;
      this.holder = holder;
      this.ask = ask;
      this.number = number;
      this.until = until;
      this.blocks = blocks;
    }

    boolean of(String name) {
      return holder.equals(name);
    }
  }

  /** The agent asks for a lease. */
  static final class Waiting {
    String holder;
    long ask;
    final Ask prompt;
    double since;
    double heard;
    double sentAt;
    boolean parked;

    /** The scheduler's request; 0 where the scheduler was not asked yet. */
    long request;

    /** Where it is to be resident, once that is decided. */
    Optional<String> replica = Optional.empty();

    /** The leases that have to end before. */
    final Set<Long> behind = new TreeSet<>();

    Waiting(String holder, Ask prompt) {
      this.holder = holder;
      this.prompt = prompt;
    }

    void heard(String name, Report.Asking asking, double at, double now) {
      holder = name;
      ask = asking.ask();
      parked = asking.parked();
      sentAt = at;
      heard = now;
      since = Math.min(since, now - asking.waitedSeconds());
    }
  }

  final String agent;
  long number = Long.MIN_VALUE;
  double heard;

  /** The lease under which it is resident. */
  Optional<Granted> current = Optional.empty();

  /** Leases that were recalled, or given to another holder since. */
  final List<Granted> leaving = new ArrayList<>();

  Optional<Waiting> waiting = Optional.empty();

  AgentLeases(String agent) {
    this.agent = agent;
  }

  Optional<Granted> leaving(long epoch) {
    return leaving.stream().filter(one -> one.lease.epoch() == epoch).findFirst();
  }

  boolean forgettable() {
    return current.isEmpty() && leaving.isEmpty() && waiting.isEmpty();
  }
}
