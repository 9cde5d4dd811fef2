/**
 * Faults on three JVMs: nodes are killed, frozen, told to leave and cut off from each other, Redis
 * is killed and cut off, while agents work; then what they did is held against what is promised.
 */
package dev.colony.cli.chaos;
