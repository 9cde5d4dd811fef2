package dev.colony.vcm.schedule;

import java.util.List;

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

  /**
   * One replica.
   *
   * @param backlogSeconds prefill work that stands before a prompt that comes now, of all gateways
   * @param calls that have been sent there and have not ended
   * @param residency blocks that will be cached when a prompt that comes now starts: also those of
   *     prompts in flight. Holds until the state that the snapshot was taken of is changed
   * @param access how it stands to calls from here
   */
  public record Replica(
      String id,
      double backlogSeconds,
      int calls,
      PrefillSpeed speed,
      Residency residency,
      Access access) {}

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
