/**
 * Agents as their journals tell of them, read from outside and without waking anybody: for people
 * and for tools. Depends on the journal's reader and the pure lifecycle.
 */
package dev.colony.agent.inspect;
