/**
 * Answering a question about a mapped source: a coordinator finds the pages that can answer,
 * analysts bound to the groups of those pages quote evidence from them, and the coordinator
 * composes the answer from what they cite.
 *
 * <p>The policies are pure; the capabilities act. Whatever a model claims is held against the
 * page's text before a caller sees it, in the manner of the quotation checks of Menick et al.,
 * "Teaching language models to support answers with verified quotes" (2022).
 */
package dev.colony.library.research;
