/**
 * The embedded replica: a chat-completions server on loopback that behaves as a vLLM server does,
 * for laptops, tests and benchmarks. What answers is the deterministic lexical model of {@code
 * dev.colony.replica.lexical}, no neural network; when it may say how much of it is decided by the
 * scheduler of {@code dev.colony.replica.kv}.
 *
 * <p>The shell around these two and the gateway's package {@code prefix}, which are pure; it may
 * use its package {@code http}, Jackson, jtokkit, and for the events of the cache JeroMQ and
 * msgpack.
 */
package dev.colony.replica;
