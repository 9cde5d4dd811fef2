/**
 * Leases of agents at replicas, as {@link dev.colony.vcm.schedule.lease} decides about them: a
 * node's side, which agents ask before a step and tell of their model calls, and the authority, one
 * for the cluster. They talk in batches, which may be lost. Depends on Pekko, the gateway's view of
 * caches and the resumption of agents; of agents' actors it knows nothing.
 */
package dev.colony.node.lease;
