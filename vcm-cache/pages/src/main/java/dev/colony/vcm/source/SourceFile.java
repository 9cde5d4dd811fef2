package dev.colony.vcm.source;

/**
 * One text file of a source.
 *
 * @param path relative to the source's root, with forward slashes, without control characters
 * @param text as it stands in the file, line ends included
 */
public record SourceFile(String path, String text) {}
