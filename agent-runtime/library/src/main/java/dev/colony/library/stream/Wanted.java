package dev.colony.library.stream;

import java.util.List;

/** What a filter is asked to look for. */
final class Wanted {

  private Wanted() {}

  /** A copy; none, or an empty text, which would stand for everything, is refused. */
  static List<String> texts(String name, List<String> texts) {
    if (texts == null
        || texts.isEmpty()
        || texts.stream().anyMatch(one -> one == null || one.isEmpty())) {
      throw new IllegalArgumentException(
          name + " are one text or more, none of them empty, but are " + texts);
    }
    return List.copyOf(texts);
  }
}
