/**
 * Holds the scheduler of {@code ./colony bench schedule --stdio} against published policies in a
 * simulator of replicas: on traces that are given, and on others that are drawn from them.
 */
package dev.colony.bench.schedule;
