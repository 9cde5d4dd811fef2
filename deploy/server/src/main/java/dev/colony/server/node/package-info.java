/**
 * One node of the cluster: its settings, its Pekko configuration, what it starts, and its
 * management port.
 *
 * <p>The lease decides which side of a cut goes on, or who outlives a crash: Pekko's split brain
 * resolver asks for it, Redis keeps it. {@link dev.colony.server.node.RedisLease} is the shell that
 * Pekko knows, {@code lease.lua} the one script. See Gray and Cheriton, <em>Leases: An Efficient
 * Fault-Tolerant Mechanism for Distributed File Cache Consistency</em> (SOSP 1989); what a lease
 * cannot do, and who does it here, stands in docs/operations/faults.md.
 */
package dev.colony.server.node;
