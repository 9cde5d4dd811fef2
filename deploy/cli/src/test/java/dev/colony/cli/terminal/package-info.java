/** Tests of what the board commands show. */
package dev.colony.cli.terminal;
