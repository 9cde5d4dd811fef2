/** Counting tokens with the o200k_base vocabulary, through jtokkit. Depends on nothing else. */
package dev.colony.vcm.tokens;
