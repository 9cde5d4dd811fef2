/** The command line: one class a command, and the one place where failures become exit codes. */
package dev.colony.cli;
