/**
 * A node of the cluster and what it serves: its HTTP API, access to it, metrics, management, the
 * lease that decides between two sides of a cut. This package is the ground that the others stand
 * on: how a start is undone, and the three exceptions that callers of the server see.
 *
 * <p>It may use the modules below and knows no command line: an exception becomes an exit code in
 * the command line, and a status in {@code http}.
 */
package dev.colony.server;
