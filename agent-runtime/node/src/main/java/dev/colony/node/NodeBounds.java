package dev.colony.node;

import dev.colony.core.dispatch.Backoff;
import dev.colony.vcm.schedule.lease.LeaseHolder.LeaseTimes;
import java.time.Duration;

/**
 * How often a node looks at what is stored, how long it waits and how much it has under way at
 * once. These are constants. Where something is tested that cannot wait as long, the node is
 * offered others among its ports.
 *
 * @param journal how long an agent whose journal failed waits before it recovers again; it does not
 *     leave its node meanwhile, so this is well below pekko.cluster.sharding.handoff-timeout
 * @param blackboard between two attempts at the blackboard
 */
public record NodeBounds(
    Backoff journal,
    Backoff blackboard,
    Inbox inbox,
    Waker waker,
    Keeping keeping,
    Resumption resumption,
    Leases leases) {

  /** Those of every node that is offered no others. */
  public static final NodeBounds USUAL =
      new NodeBounds(
          new Backoff(Duration.ofMillis(200), Duration.ofSeconds(10)),
          new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5)),
          new Inbox(
              4,
              Duration.ofSeconds(3),
              Duration.ofSeconds(10),
              Duration.ofMillis(500),
              new Lanes(
                  128,
                  64,
                  16,
                  32,
                  10_000,
                  new Pauses(Duration.ofMillis(50), Duration.ofSeconds(2)),
                  new Pauses(Duration.ofSeconds(2), Duration.ofMinutes(2)))),
          new Waker(Duration.ofSeconds(15), Duration.ofSeconds(1), 100, Duration.ofMillis(50)),
          new Keeping(Duration.ofHours(1), 50, Duration.ofMillis(20)),
          new Resumption(
              Duration.ofSeconds(5),
              Duration.ofMinutes(5),
              100,
              Duration.ofMillis(50),
              32,
              Duration.ofHours(1),
              Duration.ofMinutes(1)),
          new Leases(
              new LeaseTimes(4, 1, 4, 15, Duration.ofDays(1).toSeconds()),
              Duration.ofMillis(50),
              Duration.ofSeconds(1)));

  /** Those of a node with these services. */
  public static NodeBounds of(NodePorts services) {
    return services.find(NodeBounds.class).orElse(USUAL);
  }

  /**
   * How the inbox is read.
   *
   * @param workers that share its buckets, spread over the cluster
   * @param sweep how often a bucket is read without a hint; the net under lost hints
   * @param acceptTimeout for an agent to accept a request, recovery included
   * @param afterLoss how soon after the loss of a member all that is under way is sent once more,
   *     since what the lost node was sent is never answered; the shard regions must know by then
   */
  public record Inbox(
      int workers, Duration sweep, Duration acceptTimeout, Duration afterLoss, Lanes lanes) {}

  /**
   * What a reader of the inbox has under way and remembers, for one bucket.
   *
   * @param batch under way at once, those of failing lanes not counted, and read at once
   * @param perTenant of these, of one tenant
   * @param perAgent of these, of one agent's runs, and as many of its other messages
   * @param failing under way at once for agents whose last delivery failed; half of them, at least
   *     one, of one tenant
   * @param held ids that are remembered, at most, and one more for each agent; for one agent at
   *     most 16 times {@code perAgent} of its runs, and as many of its other messages
   * @param busy how soon a busy agent is tried again: after a hint the shortest, which doubles
   *     while it stays busy, and without one the longest
   * @param retry the first and the longest pause after a failed delivery
   */
  public record Lanes(
      int batch, int perTenant, int perAgent, int failing, int held, Pauses busy, Pauses retry) {}

  public record Pauses(Duration shortest, Duration longest) {

    /**
     * Doubles from the shortest to the longest.
     *
     * @param attempt from 1
     */
    public Duration after(int attempt) {
      Duration grown = shortest.multipliedBy(1L << Math.min(attempt - 1, 20));
      return grown.compareTo(longest) < 0 ? grown : longest;
    }
  }

  /**
   * How agents with outstanding work are woken. Batch and pause bound how fast a cluster that
   * starts again recovers its agents.
   *
   * @param sweep between two looks without a reason
   * @param afterLoss how soon after the loss of a member they are looked for, and again after the
   *     same time, since shards take a while to find a new home
   */
  public record Waker(Duration sweep, Duration afterLoss, int batch, Duration pause) {}

  /** How often one node looks for what has had its time, how much at once, and between batches. */
  public record Keeping(Duration sweep, int batch, Duration pause) {}

  /**
   * How suspended agents come to go on.
   *
   * @param look how often times are looked at without having been told of one
   * @param sweep how often all who wait are looked at
   * @param batch agents that are looked at together
   * @param pause between two batches of a sweep
   * @param atOnce conditions that are evaluated at once
   * @param keepSignals how long a signal is kept for a suspension that is not entered yet: no
   *     suspension may take longer until it is, outages included, where no signal is to be lost
   * @param repeatAfter when an agent that was woken and has not gone on is woken again
   */
  public record Resumption(
      Duration look,
      Duration sweep,
      int batch,
      Duration pause,
      int atOnce,
      Duration keepSignals,
      Duration repeatAfter) {}

  /**
   * How leases are kept. All nodes of a cluster must have the same.
   *
   * @param sendInterval between two batches that a node sends
   * @param patience how long an agent waits for its lease in memory
   */
  public record Leases(LeaseTimes times, Duration sendInterval, Duration patience) {}
}
