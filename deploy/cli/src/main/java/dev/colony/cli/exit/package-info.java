/**
 * How a command ends: its exit codes, and what failures of the server and of libraries are to the
 * person who called it.
 */
package dev.colony.cli.exit;
