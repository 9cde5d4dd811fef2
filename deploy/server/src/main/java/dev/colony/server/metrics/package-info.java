/**
 * A node's figures for Prometheus: listens where the modules tell what happens, looks from time to
 * time at what no module reports, and never at a single agent or run by its name. The resource
 * {@code metrics.md} describes every figure: {@code docs/reference/metrics.md} shows it, and each
 * HELP is taken from it. Nothing outside this package knows the library behind it.
 */
package dev.colony.server.metrics;
