/** The agents of a cluster as an operator sees them, read from directory and journal, as JSON. */
package dev.colony.server.agents;
