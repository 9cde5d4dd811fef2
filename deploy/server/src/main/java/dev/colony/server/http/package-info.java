/**
 * The HTTP API: a table of endpoints over colonies, blackboards and what a node knows of its
 * cluster, served by Pekko HTTP within limits. Who may do what is decided by {@link
 * dev.colony.server.access}; what is answered is described by {@code openapi.yaml}, which a test
 * holds against the table.
 */
package dev.colony.server.http;
