/**
 * The names of entries, and protocols: which keys two parties use to speak to each other over a
 * scope. A protocol is a set of pure functions between keys and what they mean. Pure.
 */
package dev.colony.blackboard.protocol;
