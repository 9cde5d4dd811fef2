/** Measures how fast sources are mapped to pages, and mapped again. */
package dev.colony.bench.mapping;
