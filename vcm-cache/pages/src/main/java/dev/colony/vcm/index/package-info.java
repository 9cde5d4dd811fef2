/**
 * Which pages can answer a question: a lexical index over the pages of one map. Depends on Lucene.
 *
 * <p>BM25 over several fields as one (Robertson, Zaragoza and Taylor, "Simple BM25 Extension to
 * Multiple Weighted Fields", 2004), over passages rather than whole pages, so that a few lines that
 * answer are not drowned by the rest of their page.
 */
package dev.colony.vcm.index;
