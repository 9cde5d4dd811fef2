/**
 * How long agents are away when their node is killed or told to leave, and what callers notice of a
 * rolling restart.
 */
package dev.colony.bench.failover;
