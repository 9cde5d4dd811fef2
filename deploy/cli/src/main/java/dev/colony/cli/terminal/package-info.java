/**
 * What a person sees of a command: text that does nothing to a terminal, tables, the progress of a
 * command, and its exit status.
 */
package dev.colony.cli.terminal;
