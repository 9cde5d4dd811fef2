package dev.colony.vcm.index;

import dev.colony.vcm.PageId;

/**
 * A page that may answer a question.
 *
 * @param score higher is better; comparable within the hits of one question only
 */
public record PageHit(PageId page, double score) {}
