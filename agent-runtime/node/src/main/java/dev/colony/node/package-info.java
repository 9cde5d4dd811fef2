/**
 * The ports of a node: what it tells to listeners and what it is given by the process that starts
 * it.
 */
package dev.colony.node;
