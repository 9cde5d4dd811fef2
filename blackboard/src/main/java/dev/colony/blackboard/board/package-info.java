/** What every blackboard does whatever its backend: policies, transactions, counters. */
package dev.colony.blackboard.board;
