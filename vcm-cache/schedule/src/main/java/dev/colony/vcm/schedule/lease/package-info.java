/**
 * Leases of agents at replicas: the right of an agent to have its working set at one replica, given
 * by one authority for the whole cluster and renewed by the node that the agent runs on, its
 * holder. {@link dev.colony.vcm.schedule.lease.LeaseAuthority} decides with {@link
 * dev.colony.vcm.schedule.WorkingSetScheduler} who gets one; {@link
 * dev.colony.vcm.schedule.lease.LeaseHolder} is a node's side. Messages between the two may be
 * lost, doubled and overtake each other: each says how things stand, and is repeated.
 *
 * <p>Plain Java: no I/O, no threads, no clock. Each side reads its own clock, in seconds; the two
 * are never compared, but must go equally fast. Equal events give equal orders.
 *
 * <p>Source: Gray and Cheriton, "Leases: An Efficient Fault-Tolerant Mechanism for Distributed File
 * Cache Consistency", SOSP 1989 (terms, and a restarted server that waits for the longest of them).
 */
package dev.colony.vcm.schedule.lease;
