/** Measures the blackboard: writes with events per second, event latency, and what it holds. */
package dev.colony.bench.board;
