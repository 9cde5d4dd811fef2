/** The bench commands, run as a person runs them. */
package dev.colony.bench.command;
