/**
 * A colony as a server of the Model Context Protocol: its agents are tools, its blackboard and its
 * agents' pages are resources. Knows no transport: a message goes in, and an answer or a stream of
 * messages comes out; {@code dev.colony.server.http} carries them.
 *
 * <p>Of the official Java SDK it uses the protocol's types and their JSON. Not its server, which
 * keeps one list of tools and resources in memory for all callers, hands it out as one page, and
 * passes over {@code notifications/cancelled}; here lists depend on the caller's key, change with
 * every agent and entry, and are paged. Nothing is kept between two messages, so that any node
 * answers any of them.
 */
package dev.colony.server.mcp;
