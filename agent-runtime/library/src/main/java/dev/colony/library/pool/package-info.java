/**
 * Pools: work that many callers put in and many agents take out, by load. The pool is an agent that
 * admits requests, bounds the queue and watches the leases; its workers are agents of any kind that
 * carry a capability. An item is claimed by a transaction under a lease with an epoch, worked on as
 * a run of the worker's own, and completed by a write on the condition of that epoch.
 *
 * <p>Stands on the blackboard and on the API of agents. Source of leases and fencing: Gray and
 * Cheriton, <i>Leases</i>, 1989; the epoch is the fencing token.
 */
package dev.colony.library.pool;
