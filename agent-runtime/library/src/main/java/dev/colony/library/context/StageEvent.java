package dev.colony.library.context;

import java.util.Objects;

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
}
