/**
 * What every blackboard does whatever its backend: policies, transactions, counters, and
 * subscriptions over an ordered log of events that is also pushed. What a backend must offer for
 * one scope is {@link dev.colony.blackboard.board.BoardStore}.
 */
package dev.colony.blackboard.board;
