/**
 * Replays recorded requests through the engine of the embedded replica, beside what a simulator of
 * such engines made of the same decisions.
 */
package dev.colony.bench.engine;
