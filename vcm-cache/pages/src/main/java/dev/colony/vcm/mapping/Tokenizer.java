package dev.colony.vcm.mapping;

/**
 * Counts the tokens that a model's vocabulary makes of a text. Found by {@link
 * java.util.ServiceLoader}, by its name; has a public constructor without parameters, and is
 * thread-safe.
 *
 * <p>Counts add up where a text is cut between a line feed and the {@code ===} of a header line: no
 * token spans them. Page sizes rely on it.
 */
public interface Tokenizer {

  /** What {@code colony.vcm.grouping.tokenizer} names it by. */
  String name();

  /** How many tokens; 0 for an empty text. Marks of the vocabulary count as the text they are. */
  int count(String text);
}
