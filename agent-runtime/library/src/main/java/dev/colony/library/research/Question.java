package dev.colony.library.research;

/**
 * What a coordinator is asked.
 *
 * @param text in plain words
 * @param map the id of the page map to answer it from
 */
public record Question(String text, String map) {

  public Question {
    if (text == null || text.isBlank()) {
      throw new IllegalArgumentException("the question is empty");
    }
    if (map == null || map.isBlank()) {
      throw new IllegalArgumentException("the question names no page map");
    }
  }
}
