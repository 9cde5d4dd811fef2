/**
 * The lexical model: a deterministic stand-in for a language model. It answers from the words of
 * the prompt alone: it quotes the lines that match a question best, composes answers from numbered
 * evidence, and fills JSON schemas. It understands nothing, and it is no neural network.
 *
 * <p>Pure: text in, text out; words are split and stemmed as the index over pages does it, by
 * {@code dev.colony.vcm.mapping}. Ranking follows BM25F (Robertson, Zaragoza, Taylor, "Simple BM25
 * extension to multiple weighted fields", CIKM 2004) with the lines of a page as documents.
 */
package dev.colony.replica.lexical;
