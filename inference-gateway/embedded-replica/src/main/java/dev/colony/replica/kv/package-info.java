/**
 * An inference engine's scheduler and its KV cache, after vLLM's V1 engine: blocks of tokens named
 * by chained hashes, a queue of free blocks in the order of their release, chunked prefill within a
 * budget of tokens a step, calls first come first served, preemption by recomputation. Pure: no
 * clock, no threads, no I/O.
 *
 * <p>Source: vLLM's {@code v1/core} (block pool, KV cache manager, scheduler) and its design note
 * on automatic prefix caching.
 */
package dev.colony.replica.kv;
