/** What the log of a node says of runs. */
package dev.colony.server.logging;
