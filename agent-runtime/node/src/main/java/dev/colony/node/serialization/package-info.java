/** How what is journaled and what nodes send each other is written. */
package dev.colony.node.serialization;
