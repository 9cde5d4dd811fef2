/**
 * Puts a node's part of the runtime together and starts it: agents' shards, the readers of the
 * inbox, which take each kind of message to its agent, and what is there once per cluster: the
 * waker, the timer of conditions, the keeper of what has had its time. Nothing of this module
 * depends on it.
 */
package dev.colony.node.runtime;
