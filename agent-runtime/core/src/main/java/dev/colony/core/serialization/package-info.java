/** The names and the form of what is journaled and what nodes send each other. */
package dev.colony.core.serialization;
