/**
 * Who may work where. The slots of a node for agents at work and the admission scheduler, one per
 * cluster, which wakes those who wait durably for capacity; leases of agents at the replicas whose
 * caches hold their prompts, as {@link dev.colony.vcm.schedule.lease} decides about them; and
 * placement as Pekko asks for it. Nodes talk in batches, which may be lost. Depends on Pekko,
 * {@code resumption} and the gateway's view of caches; of agents' actors it knows nothing.
 */
package dev.colony.node.admission;
