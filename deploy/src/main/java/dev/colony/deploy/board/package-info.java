/** What the board commands show: scopes, entries and events as JSON and as lines for people. */
package dev.colony.deploy.board;
