/**
 * The blackboard in the memory of one process, for tests: the same contract as the one in Redis,
 * and nothing outlives it.
 */
package dev.colony.testkit.board;
