/**
 * A model of automatic prefix caching as vLLM does it: prompts are cut into blocks of tokens, a
 * block is named by the hash of its tokens and its predecessor, and whole blocks are kept until
 * room is needed. Pure: no clock, no threads, no I/O.
 *
 * <p>Source: Kwon et al., "Efficient Memory Management for Large Language Model Serving with
 * PagedAttention", SOSP 2023, and vLLM's design note on automatic prefix caching.
 */
package dev.colony.inference.prefix;
