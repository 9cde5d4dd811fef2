package dev.colony.vcm.schedule.lease;

/**
 * An agent has its working set at a replica.
 *
 * @param agent by the name that holder and authority share
 * @param replica where its blocks are claimed, and where its model calls go
 * @param epoch unlike that of any other lease; a later lease of the same agent has a higher one
 */
public record Lease(String agent, String replica, long epoch) {}
