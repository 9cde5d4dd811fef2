/**
 * What a node lets the other nodes and its operator see over HTTP, on a port of its own: health,
 * the cluster's members, what nodes need to find each other, and whatever other packages add.
 * Stands on pekko-management.
 */
package dev.colony.server.management;
