/**
 * The in-memory backend: the same contract as Redis within one process, for tests and for programs
 * that need no durability.
 */
package dev.colony.blackboard.memory;
