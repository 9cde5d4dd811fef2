/**
 * What a backend must offer for one scope, and nothing more: atomic commits, reads, the log of
 * events. Everything that is the same for all backends (policies, transactions, counters) stands on
 * it in {@link dev.colony.blackboard.board}.
 */
package dev.colony.blackboard.store;
