/**
 * Stock capabilities, to add to a blueprint: children and their supervision, messages between the
 * agents of a colony, artifacts and reports for others, actions by which an agent thinks about what
 * it has, and services over HTTP.
 *
 * <p>A mailbox is a part of its owner's scope; who sends writes there, and the write wakes the
 * owner. A thinking action is one model call over named inputs, whose reply satisfies a schema and
 * names only what it was given.
 */
package dev.colony.library.capability;
