package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.CostRouter.Scorer;
import java.util.List;
import java.util.function.Predicate;

/**
 * What is known of the replicas at one moment.
 *
 * @param at seconds of the caller's clock
 * @param replicas in an order that stays the same from one snapshot to the next
 * @param queueLength calls that wait for their first token, for each replica, averaged over the
 *     recent past
 */
public record ClusterSnapshot(double at, List<Replica> replicas, double queueLength) {

  public ClusterSnapshot {
    replicas = List.copyOf(replicas);
  }

  /** The same of these replicas. */
  public ClusterSnapshot only(List<Replica> some) {
    return new ClusterSnapshot(at, some, queueLength);
  }

  /**
   * The same for an ask that had better be computed near: each other replica counts as farther away
   * by its prefill there, several times. The same where none that is near takes calls.
   *
   * @param near tells by its id whether a replica is
   * @param times how often the prefill counts more, 0 or more
   */
  public ClusterSnapshot near(Predicate<String> near, Ask ask, double times) {
    boolean any =
        replicas.stream().anyMatch(one -> near.test(one.id()) && one.access().available());
    return !any || times == 0
        ? this
        : new ClusterSnapshot(
            at,
            replicas.stream()
                .map(one -> near.test(one.id()) ? one : one.farther(times, ask))
                .toList(),
            queueLength);
  }

  /**
   * One replica.
   *
   * @param load the calls there
   * @param residency blocks that will be cached when a prompt that comes now starts: also those of
   *     prompts in flight. Holds until the state that the snapshot was taken of is changed
   * @param access how it stands to calls from here
   */
  public record Replica(
      String id, Load load, PrefillSpeed speed, Residency residency, Access access) {

    /** The same where it stands otherwise to calls. */
    public Replica with(Access other) {
      return new Replica(id, load, speed, residency, other);
    }

    /** The same where it takes calls. */
    public Replica asIfWell() {
      return with(new Access(true, access.full, access.warm, access.reachSeconds));
    }

    private Replica farther(double times, Ask ask) {
      double more = times * Scorer.Candidate.of(ask, this).prefillSeconds();
      return with(
          new Access(access.available, access.full, access.warm, access.reachSeconds + more));
    }
  }

  /**
   * The calls at a replica.
   *
   * @param backlogSeconds prefill work that stands before a prompt that comes now, of all gateways
   * @param calls of this gateway that have been sent there and have not ended
   * @param waiting calls of all that wait for their first token
   * @param replying calls of all gateways whose replies are under way
   * @param stallSeconds what a prompt that is next waits there beyond the time that it should take,
   *     as for room in the cache; 0 where there is no call
   */
  public record Load(
      double backlogSeconds, int calls, int waiting, int replying, double stallSeconds) {

    /** No call. */
    public static final Load NONE = new Load(0, 0, 0, 0, 0);
  }

  /**
   * How a replica stands to calls of one gateway.
   *
   * @param available whether calls may be sent there at all
   * @param full whether it has as many as it may
   * @param warm how much of its share it takes while it starts slowly, above 0 and at most 1
   * @param reachSeconds what a call to it takes longer than one to the nearest
   */
  public record Access(boolean available, boolean full, double warm, double reachSeconds) {

    /** Takes calls, and is as near as any. */
    public static final Access OPEN = new Access(true, false, 1, 0);

    public Access {
      if (!(warm > 0 && warm <= 1) || !(reachSeconds >= 0)) {
        throw new IllegalArgumentException("warm " + warm + ", reachSeconds " + reachSeconds);
      }
    }
  }
}
