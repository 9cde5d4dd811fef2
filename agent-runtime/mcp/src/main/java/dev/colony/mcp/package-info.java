/**
 * Tools, resources and prompts of servers of the Model Context Protocol (revision 2025-11-25 and
 * earlier) as actions of agents. A blueprint holds the configuration; the connection is the node's,
 * opened when an agent first needs it. May use what authors of capabilities use, and the protocol's
 * Java SDK.
 */
package dev.colony.mcp;
