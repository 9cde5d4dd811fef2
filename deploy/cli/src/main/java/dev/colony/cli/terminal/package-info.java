/** What is printed: text that does nothing to a terminal, and the progress of a command. */
package dev.colony.cli.terminal;
