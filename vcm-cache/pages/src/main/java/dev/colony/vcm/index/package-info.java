/**
 * Which pages can answer a question: a lexical index over the pages of one map. Depends on Lucene.
 *
 * <p>Four rankings of files, fused: BM25 over the whole file; its best passage by BM25 over several
 * fields as one (Robertson, Zaragoza and Taylor, "Simple BM25 Extension to Multiple Weighted
 * Fields", 2004), so that a few lines that answer are not drowned by the rest of their file; and
 * how many different words of the question it has, by their stems and as they are written.
 */
package dev.colony.vcm.index;
