/**
 * The words of source code and of questions about it, one way for all who look for them: the index
 * over pages, and the model that reads pages by their words. Depends on Lucene.
 *
 * <p>Endings are removed after Porter, "An Algorithm for Suffix Stripping" (1980).
 */
package dev.colony.vcm.words;
