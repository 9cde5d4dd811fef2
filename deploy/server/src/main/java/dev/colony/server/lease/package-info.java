/**
 * The lease by which the sides of a cut, or those who outlive a crash, decide which of them goes
 * on: Pekko's split brain resolver asks for it, Redis keeps it. {@link
 * dev.colony.server.lease.RedisLease} is the shell that Pekko knows, {@link
 * dev.colony.server.lease.LeaseStore} the one script, {@link dev.colony.server.lease.LeaseState}
 * decides. See Gray and Cheriton, <em>Leases: An Efficient Fault-Tolerant Mechanism for Distributed
 * File Cache Consistency</em> (SOSP 1989); what a lease cannot do, and who does it here, stands in
 * docs/faults.md.
 */
package dev.colony.server.lease;
