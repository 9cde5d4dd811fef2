/**
 * Capacity for agents at work, as {@code capacity} decides about it: the slots of a node, what
 * capacity it reports, and the admission scheduler, one per cluster, which wakes those who wait
 * durably for capacity. Depends on Pekko, {@code capacity}, {@code resumption}, {@code home} and
 * {@code placement}; of agents' actors it knows nothing.
 */
package dev.colony.node.admission;
