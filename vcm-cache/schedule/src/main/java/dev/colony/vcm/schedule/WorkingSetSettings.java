package dev.colony.vcm.schedule;

/**
 * How agents are held back by their working sets. Each value is a ratio or has a unit, so that none
 * depends on how large the caches or the agents are.
 *
 * @param boundSeconds a request that has waited longer goes before all others, and pages out
 *     whatever has to go; above 0
 * @param gain how many block-seconds a page-out must free for each that loading the blocks again
 *     costs; from 0
 * @param slack how much claims may grow beyond the cache before agents are paged out, as a part of
 *     the cache; from 0 to 1
 * @param workingSetSlack the same as a part of the mean working set; the smaller of both counts
 * @param congestion how much those who come after count for each call that waits on average; from 0
 * @param sharing seconds that a whole working set of blocks which are not claimed yet counts at a
 *     replica while agents are held back, for each block; from 0
 * @param migration seconds that another replica must be faster by before an agent leaves its home
 * @param aging blocks that a newcomer's working set counts less for each second that it has waited
 * @param returningTries and {@code newcomerTries}: how many of those that are held are tried at
 *     each event; from 1
 * @param newcomerTries see {@code returningTries}
 * @param wakeSeconds after which those that are held are tried again though nothing happened; above
 *     0
 * @param absences how many absences are remembered; from 1
 * @param forgetSeconds after which an agent that is resident nowhere and asks nothing is forgotten
 */
public record WorkingSetSettings(
    double boundSeconds,
    double gain,
    double slack,
    double workingSetSlack,
    double congestion,
    double sharing,
    double migration,
    double aging,
    int returningTries,
    int newcomerTries,
    double wakeSeconds,
    int absences,
    double forgetSeconds) {

  /** What the measurements in docs/design/scheduling.md were made with. */
  public static final WorkingSetSettings DEFAULT =
      new WorkingSetSettings(900, 1.25, 0.1, 0.5, 2, 1, 0.3, 0.1, 6, 4, 2, 2_000, 86_400);

  public WorkingSetSettings {
    if (!(boundSeconds > 0)
        || !(gain >= 0)
        || !(slack >= 0 && slack <= 1)
        || !(workingSetSlack >= 0)
        || !(congestion >= 0)
        || !(sharing >= 0)
        || !(migration >= 0)
        || !(aging >= 0)
        || returningTries < 1
        || newcomerTries < 1
        || !(wakeSeconds > 0)
        || absences < 1
        || !(forgetSeconds > 0)) {
      throw new IllegalArgumentException("a setting is out of range");
    }
  }

  /** The same with another bound. */
  public WorkingSetSettings withBoundSeconds(double seconds) {
    return new WorkingSetSettings(
        seconds,
        gain,
        slack,
        workingSetSlack,
        congestion,
        sharing,
        migration,
        aging,
        returningTries,
        newcomerTries,
        wakeSeconds,
        absences,
        forgetSeconds);
  }
}
