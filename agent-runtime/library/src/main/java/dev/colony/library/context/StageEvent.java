package dev.colony.library.context;

import dev.colony.blackboard.value.Text;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Something that happened on a stage.
 *
 * @param turn orders the events of a stage; grows from one to the next, not by one
 * @param actor whose doing it is
 * @param name by which others are told of the actor
 */
public record StageEvent(long turn, StageKind kind, String actor, String name, String text) {

  public StageEvent {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(actor, "actor");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(text, "text");
  }

  /** One whose actor others know as it is called. */
  public StageEvent(long turn, StageKind kind, String actor, String text) {
    this(turn, kind, actor, actor, text);
  }

  /** What happened, on one line, so that no text reads like a line or a section of its own. */
  String said() {
    return PromptText.flat(text);
  }

  /** The line on the table: who, and what. */
  String note() {
    return noted("");
  }

  /** The same for an agent, whose own lines are marked as such. */
  String note(String reader) {
    return noted(reader.equals(actor) ? " (you)" : "");
  }

  private String noted(String mark) {
    return name + mark + (kind == StageKind.ACTED ? " [acted]: " : ": ") + said();
  }

  /** The line of a memory. */
  String memory() {
    return "[turn %03d][%s] %s"
        .formatted(turn, kind.word(), kind == StageKind.WORLD ? said() : note());
  }

  public enum StageKind {
    /** The goal that all share; an empty text of the same actor takes it back. */
    GOAL("goal.set", Audience.ALL),
    /** The world as it is from now on: the current scene. */
    WORLD("world.observed", Audience.ALL),
    /** An agent says something to all. */
    SPOKE("agent.spoke", Audience.ALL),
    /** The narrator, who knows the world's truth, says something to all. */
    ORACLE_SPOKE("oracle.spoke", Audience.ALL),
    /** An agent does something that all see. */
    ACTED("agent.acted", Audience.ALL),
    /** An agent thinks something; no other agent ever reads it. */
    THOUGHT("agent.thought", Audience.ACTOR),
    /** A judge has ruled. */
    VERDICT("judge.verdict", Audience.ALL),
    /** A user throws something in. */
    VISITOR("user.injected", Audience.ALL);

    private enum Audience {
      ALL,
      ACTOR
    }

    /** Those of which the last one holds until there is another. */
    static final Set<StageKind> HOLDING = Set.of(GOAL, WORLD);

    private final String word;
    private final Audience audience;

    StageKind(String word, Audience audience) {
      this.word = word;
      this.audience = audience;
    }

    /** How it stands in keys and memory lines. */
    public String word() {
      return word;
    }

    /** Reads {@link #word} back; empty for a kind that this version does not know. */
    public static Optional<StageKind> of(String word) {
      return Arrays.stream(values()).filter(kind -> kind.word.equals(word)).findFirst();
    }

    /** Whether only its actor may be shown it. */
    public boolean isPrivate() {
      return audience == Audience.ACTOR;
    }

    /** Whether it is part of the discussion that a judge rules on. */
    public boolean isSpeech() {
      return this == SPOKE || this == ORACLE_SPOKE;
    }

    /** Whether it is a note on the table that agents react to. */
    public boolean isNote() {
      return isSpeech() || this == ACTED;
    }
  }

  /** Texts of others, made harmless to the shape of a prompt. */
  static final class PromptText {

    private PromptText() {}

    /** All on one line: line breaks and control characters become spaces, runs of them one. */
    static String flat(String text) {
      return text.replaceAll("[\\s\\p{Cntrl}\\u2028\\u2029]+", " ").strip();
    }

    /** PromptText as they are, without empty ones: sections are kept apart by an empty line. */
    static String block(String text) {
      return text.strip().replaceAll("\\h*(\\R\\h*)+", "\n");
    }

    /** The first {@code most} characters of a text, marked if it was longer. */
    static String cut(String text, int most) {
      return text.length() <= most ? text : Text.head(text, most) + "...";
    }
  }
}
