/** What a node's figures say, and that they are all described. */
package dev.colony.server.metrics;
