package dev.colony.library.memory;

import dev.colony.blackboard.key.EntryTag;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What is to be remembered.
 *
 * @param id 1 to 128 characters of {@code [A-Za-z0-9._~-]}; a note whose id is known already is
 *     known already
 * @param kind 1 to 64 characters of {@code [A-Za-z0-9._-]}
 * @param text kept on one line
 * @param tags at most 16, each 1 to 128 characters
 * @param importance 0 to 1
 */
public record Note(String id, String kind, String text, Set<String> tags, double importance) {

  private static final int MOST_TAGS = 16;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._~-]{1,128}");
  private static final Pattern KIND = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  public Note {
    Objects.requireNonNull(text, "text");
    check(ID.matcher(id).matches(), "the id of a memory is not " + id);
    check(KIND.matcher(kind).matches(), "the kind of a memory is not " + kind);
    check(tags.size() <= MOST_TAGS, "a memory has at most " + MOST_TAGS + " tags: " + tags);
    check(importance >= 0 && importance <= 1, "importance is 0 to 1, not " + importance);
    tags.forEach(EntryTag::check);
    tags = new TreeSet<>(tags);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
