/** One node, and several of them in one process. */
package dev.colony.server.node;
