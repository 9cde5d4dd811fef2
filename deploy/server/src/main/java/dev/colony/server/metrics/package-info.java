/**
 * A node's figures for Prometheus: listens where the modules tell what happens, looks from time to
 * time at what nobody tells, and never at a single agent or run by its name. {@code
 * docs/metrics.md} has every figure. Nothing outside this package knows the library behind it.
 */
package dev.colony.server.metrics;
