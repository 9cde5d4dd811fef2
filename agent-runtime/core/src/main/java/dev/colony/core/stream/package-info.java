/** The kinds of stream entries that are installed. */
package dev.colony.core.stream;
