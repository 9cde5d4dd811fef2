package dev.colony.core.lifecycle;

/**
 * The bounds of the writes that one run is started for.
 *
 * @param events how many
 * @param bytes of their values together, about; a value that is larger by itself is left out
 */
public record EventLimits(int events, int bytes) {}
