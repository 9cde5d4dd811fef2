package dev.colony.vcm.schedule.lease;

/**
 * How leases stand, for operators.
 *
 * @param leases that agents are resident under
 * @param held agents that wait for one
 * @param oldestHoldSeconds how long the first of them has waited; 0 where none does
 * @param granted leases in all
 * @param pagedOut agents that had to leave for others, in all
 * @param forcedLoads agents that were loaded because they had waited beyond the bound, in all
 * @param expired leases that ended without their holders' word, in all
 * @param rebuilding whether the authority still waits for the holders' reports
 */
public record LeaseCounts(
    int leases,
    int held,
    double oldestHoldSeconds,
    long granted,
    long pagedOut,
    long forcedLoads,
    long expired,
    boolean rebuilding) {}
