/**
 * The embedded replica: an OpenAI-compatible chat-completions server on loopback with a real model
 * of a prefix cache, for laptops, tests and benchmarks. What answers is the deterministic lexical
 * model of {@code dev.colony.replica.lexical}, no neural network.
 *
 * <p>The shell around the pure packages {@code prefix} and {@code lexical}; it may use the JDK's
 * HTTP server, Jackson and jtokkit.
 */
package dev.colony.replica;
