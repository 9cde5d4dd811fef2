/**
 * What the benches share: the command around a bench, calls as a load makes them, at an even rate
 * or by clients in a loop, what they took, and how it is printed. Depends on the command line.
 */
package dev.colony.bench.load;
