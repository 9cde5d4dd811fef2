package dev.colony.vcm.schedule;

/**
 * What the state of the replicas is kept by.
 *
 * @param prior how fast a replica is taken to be until enough was observed there
 * @param window observations of a replica's speed that count, the latest; from 8
 * @param queueSeconds the time over which the length of the queues is averaged, above 0
 * @param reportSeconds for how long what another gateway, or the replica itself, said of its queue
 *     counts, above 0
 * @param cacheBlocks blocks that a cache which tells nothing is taken to hold at first
 * @param mostBlocks the largest cache that can be known or learned, in blocks; one costs about 150
 *     bytes of memory
 */
public record ScheduleSettings(
    PrefillSpeed prior,
    int window,
    double queueSeconds,
    double reportSeconds,
    int cacheBlocks,
    int mostBlocks) {

  public ScheduleSettings {
    if (window < 8
        || !(queueSeconds > 0)
        || !(reportSeconds > 0)
        || cacheBlocks < 1
        || mostBlocks < cacheBlocks) {
      throw new IllegalArgumentException(
          "window %d, queueSeconds %s, reportSeconds %s, cacheBlocks %d, mostBlocks %d"
              .formatted(window, queueSeconds, reportSeconds, cacheBlocks, mostBlocks));
    }
  }

  /** For caches whose size is known. */
  public ScheduleSettings withCacheBlocks(int blocks) {
    return new ScheduleSettings(
        prior, window, queueSeconds, reportSeconds, blocks, Math.max(mostBlocks, blocks));
  }
}
