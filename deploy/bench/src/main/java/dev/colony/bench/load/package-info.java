/** Calls as a load makes them, at an even rate or by clients in a loop, and how long they took. */
package dev.colony.bench.load;
