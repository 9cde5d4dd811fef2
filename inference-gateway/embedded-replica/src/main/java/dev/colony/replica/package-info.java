/**
 * The embedded replica: a chat-completions server on loopback that behaves as a vLLM server does,
 * for laptops, tests and benchmarks. What answers is the deterministic lexical model of {@code
 * dev.colony.replica.lexical}, no neural network.
 *
 * <p>When it may say how much of it is decided by a scheduler and a KV cache after vLLM's V1 engine
 * ({@link dev.colony.replica.Scheduler}, {@link dev.colony.replica.BlockPool}, {@link
 * dev.colony.replica.Sequence}, which are pure): blocks of tokens named by chained hashes, a queue
 * of free blocks in the order of their release, chunked prefill within a budget of tokens a step,
 * calls first come first served, preemption by recomputation. Source: vLLM's {@code v1/core} and
 * its design note on automatic prefix caching.
 */
package dev.colony.replica;
