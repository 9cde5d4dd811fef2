/**
 * Consciousness streams: filtered, ordered records of slices of an agent's experience, rendered
 * into its planning prompt. Source: the seed's page on consciousness streams. Pure.
 */
package dev.colony.library.stream;
