package dev.colony.vcm.index;

/**
 * Lines of a page that may answer a question.
 *
 * @param lastLine the last of them
 * @param score higher is better; comparable within the hits of one question only
 */
public record PassageHit(String file, int firstLine, int lastLine, double score) {}
