/** What can be set of commands, beside what can be set of a node. */
package dev.colony.cli.settings;
