/** What the board commands read from a person and print for one. */
package dev.colony.cli.board;
