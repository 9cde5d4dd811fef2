/**
 * A node of the cluster and what it serves. This package is the ground that the others stand on:
 * how a start is undone, the three exceptions that callers of the server see, who may do what, and
 * the reading of agents, runs and the blackboard in the forms that the HTTP API and the command
 * line show. Above it stand {@code http}, {@code mcp}, {@code metrics} and {@code node}.
 *
 * <p>It may use the modules below and knows no command line: an exception becomes an exit code in
 * the command line, and a status in {@code http}.
 */
package dev.colony.server;
