package dev.colony.vcm;

/**
 * A run of lines of one file within a page.
 *
 * @param file relative to the source's root, with forward slashes
 * @param firstLine counted from 1, inclusive
 * @param lastLine inclusive
 */
public record PageSegment(String file, int firstLine, int lastLine) {}
