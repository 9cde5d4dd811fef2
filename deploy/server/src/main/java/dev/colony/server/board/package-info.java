/** Scopes, entries and events of the blackboard as JSON. */
package dev.colony.server.board;
