/** Questions about real code, asked through all parts. */
package dev.colony.cli.ask;
