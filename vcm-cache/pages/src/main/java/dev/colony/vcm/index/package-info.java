/**
 * Which pages can answer a question: a lexical index over the pages of one map. Depends on Lucene.
 *
 * <p>Two rankings of files, fused: their different words, and their best passage by BM25 over
 * several fields as one (Robertson, Zaragoza and Taylor, "Simple BM25 Extension to Multiple
 * Weighted Fields", 2004), so that a few lines that answer are not drowned by the rest of their
 * file.
 */
package dev.colony.vcm.index;
