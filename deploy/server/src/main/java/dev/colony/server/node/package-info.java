/** One node of the cluster: its settings, its Pekko configuration and what it starts. */
package dev.colony.server.node;
