package dev.colony.library.research;

/**
 * A line as a model quotes it, not yet held against its page.
 *
 * @param line its number, as the model counted
 * @param score how well it answers, larger is better
 */
record Quote(String file, int line, String text, double score) {}
