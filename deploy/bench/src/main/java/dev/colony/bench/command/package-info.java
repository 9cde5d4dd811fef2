/** {@code colony bench}: the commands that run the benchmarks and print their reports. */
package dev.colony.bench.command;
