/**
 * Puts a node's part of the runtime together and starts it: agents' shards, the readers of the
 * inbox, the usher, and what is there once per cluster to wake agents. Nothing of this module
 * depends on it.
 */
package dev.colony.node.runtime;
