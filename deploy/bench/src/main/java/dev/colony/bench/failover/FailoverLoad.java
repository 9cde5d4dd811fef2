package dev.colony.bench.failover;

/**
 * What to measure.
 *
 * @param rounds how many nodes are killed, and as many told to leave
 * @param agents on all nodes together
 * @param perSecond requests during the rolling restart
 */
public record FailoverLoad(int rounds, int agents, int perSecond) {}
