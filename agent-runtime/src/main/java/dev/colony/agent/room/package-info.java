/**
 * Room for agents at work, as {@code capacity} decides about it: the places of a node, what room it
 * reports, and the usher, one per cluster, which wakes those who wait durably for room. Depends on
 * Pekko, {@code capacity}, {@code resumption}, {@code home} and {@code placement}; of agents'
 * actors it knows nothing.
 */
package dev.colony.agent.room;
