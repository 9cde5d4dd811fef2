package dev.colony.library.context;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** What can happen on a stage. */
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
