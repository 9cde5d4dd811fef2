/** Tests of the nodes of one machine. */
package dev.colony.cli.local;
