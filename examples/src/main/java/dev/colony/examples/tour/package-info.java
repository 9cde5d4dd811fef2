/**
 * An agent that guides through a source tree: a stop for each of its parts, the most central first,
 * with what to see there.
 */
package dev.colony.examples.tour;
