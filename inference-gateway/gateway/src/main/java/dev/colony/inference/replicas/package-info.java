/**
 * Which replicas there are and how each is: where their addresses come from, whether they may be
 * called, how much waits there, and what they tell of their caches. {@link
 * dev.colony.inference.replicas.ReplicaHealth}, {@link
 * dev.colony.inference.replicas.ReplicaHealth.CircuitBreaker}, {@link
 * dev.colony.inference.replicas.EngineLoad} and {@link dev.colony.inference.replicas.KvEvents} are
 * pure; the others have threads and sockets.
 */
package dev.colony.inference.replicas;
