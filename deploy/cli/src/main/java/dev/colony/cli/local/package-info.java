/**
 * A cluster on one machine: the state directory, the child JVMs on loopback, and the record of a
 * running {@code colony up}.
 */
package dev.colony.cli.local;
