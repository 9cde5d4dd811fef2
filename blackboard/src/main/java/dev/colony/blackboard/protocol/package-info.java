/**
 * Protocols: which keys two parties use to speak to each other over a scope. A protocol is a set of
 * pure functions between keys and what they mean.
 */
package dev.colony.blackboard.protocol;
