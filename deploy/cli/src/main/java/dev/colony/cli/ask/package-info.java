/**
 * One question about a source tree, from the command line: mapping the tree, asking the
 * coordinator, following the run and printing its answer.
 */
package dev.colony.cli.ask;
