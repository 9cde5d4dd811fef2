/**
 * The node of a program, in its own JVM, with a Redis server beside it. It may depend on all of
 * this module, and nothing depends on it.
 */
package dev.colony.node.local;
