/**
 * Calls as a load makes them, at an even rate or by clients in a loop, how long they took, and
 * recorded loads as files.
 */
package dev.colony.bench.load;
