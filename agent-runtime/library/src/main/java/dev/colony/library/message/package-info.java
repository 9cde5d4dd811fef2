/**
 * Messages between the agents of a colony. A mailbox is a part of its owner's scope; who sends
 * writes there, and the write wakes the owner.
 */
package dev.colony.library.message;
