/**
 * A coordinator that gives each of many texts to a child of its own and is woken by what they find.
 * Its experience is two streams: the workers' results, and its own synthesis.
 */
package dev.colony.examples.coordinator;
