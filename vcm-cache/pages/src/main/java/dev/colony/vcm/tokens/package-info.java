/**
 * Counting tokens: with the vocabularies of jtokkit, or a tokenizer on the class path. Depends on
 * nothing else.
 */
package dev.colony.vcm.tokens;
