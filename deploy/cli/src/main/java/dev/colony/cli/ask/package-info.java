/**
 * One question about a source tree, from the command line: mapping the tree, asking the
 * coordinator, following the run, printing its answer and writing it as a report.
 */
package dev.colony.cli.ask;
