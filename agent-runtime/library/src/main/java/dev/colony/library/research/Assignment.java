package dev.colony.library.research;

import java.util.List;

/**
 * What one analyst is asked.
 *
 * @param question in plain words; empty where the pages are only to be loaded into a cache
 * @param pages which of its pages to read
 * @param words that the code may use for it
 * @param open what an earlier round has left open; empty in the first
 * @param map that the pages are of, to look further in; empty for nowhere
 */
record Assignment(
    String question, List<String> pages, List<String> words, String open, String map) {

  Assignment {
    pages = List.copyOf(pages);
    words = words == null ? List.of() : List.copyOf(words);
    open = open == null ? "" : open;
    map = map == null ? "" : map;
  }

  /** To have pages in the cache of a replica before they are asked about. */
  static Assignment loading(List<String> pages) {
    return new Assignment("", pages, List.of(), "", "");
  }

  boolean loads() {
    return question.isEmpty();
  }
}
