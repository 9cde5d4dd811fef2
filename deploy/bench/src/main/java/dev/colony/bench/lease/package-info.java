/**
 * What agents gain that are held back by their working sets: the same agents on the same nodes with
 * leases, with each call routed by itself, and with calls that go to the replicas in turn.
 */
package dev.colony.bench.lease;
