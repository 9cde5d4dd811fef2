package dev.colony.library.context;

import dev.colony.blackboard.protocol.EntryTag;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Something that an agent remembers.
 *
 * @param id unique within the agent
 * @param turn orders the agent's memories: 1 for the first, one more for each
 * @param at when it was stored
 * @param accessedAt when it was last recalled by salience or read, or else stored
 * @param kind a short word, {@code action} for what the agent did
 * @param tags in alphabetical order
 * @param importance 0 to 1
 */
public record Memory(
    String id,
    long turn,
    Instant at,
    Instant accessedAt,
    String kind,
    String text,
    List<String> tags,
    double importance) {

  public Memory {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(accessedAt, "accessedAt");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(text, "text");
    tags = List.copyOf(tags);
  }

  /** One line for a prompt: {@code [turn NNN][kind] text}. */
  public String line() {
    return "[turn %03d][%s] %s".formatted(turn, kind, text);
  }

  Memory accessed(Instant now) {
    return new Memory(id, turn, at, now, kind, text, tags, importance);
  }

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

  /**
   * Which memories come to mind.
   *
   * @param by how they are chosen
   * @param about what they are to be relevant to; empty for nothing in particular
   * @param window how many at most, 1 to 1000
   */
  public record Recall(By by, String about, int window) {

    /** How memories are chosen. */
    public enum By {
      /** The newest. */
      EPISODE,
      /** The most salient: by recency, importance and relevance. */
      SALIENCE
    }

    public Recall {
      Objects.requireNonNull(by, "by");
      Objects.requireNonNull(about, "about");
      if (window < 1 || window > 1000) {
        throw new IllegalArgumentException("a recall's window is 1 to 1000, not " + window);
      }
    }

    /** The newest. */
    public static Recall episodic(int window) {
      return new Recall(By.EPISODE, "", window);
    }

    /** The most salient to something. */
    public static Recall salient(String about, int window) {
      return new Recall(By.SALIENCE, about, window);
    }
  }
}
