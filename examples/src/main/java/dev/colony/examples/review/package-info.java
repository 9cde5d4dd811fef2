/**
 * A supervisor that plans the review of a source tree in three levels, and asks a person before it
 * publishes what it has found.
 */
package dev.colony.examples.review;
