package dev.colony.agent.view;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.colony.agent.RunId;
import java.util.Optional;

/**
 * A position between two events of an agent's journal, from which its history goes on in both
 * directions. Its {@link #token} is what a page hands out and a later call takes.
 *
 * @param sequenceNr of the event before it; 0 for the beginning
 * @param open the run that the next step after it belongs to; empty if that is not known
 */
public record HistoryPosition(long sequenceNr, Optional<RunId> open) {

  /** Before the first event. */
  public static final HistoryPosition BEGINNING = after(0);

  public HistoryPosition {
    if (sequenceNr < 0) {
      throw new IllegalArgumentException("events are numbered from 1, not: " + sequenceNr);
    }
  }

  /** Right behind the event of this number. */
  public static HistoryPosition after(long sequenceNr) {
    return new HistoryPosition(sequenceNr, Optional.empty());
  }

  /** In one word; {@link #parse} reads it back. */
  @JsonValue
  public String token() {
    return sequenceNr + open.map(run -> "@" + run.value()).orElse("");
  }

  /**
   * Reads a {@link #token} back; a number alone is right behind that event.
   *
   * @throws IllegalArgumentException if it is none
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static HistoryPosition parse(String token) {
    int at = token.indexOf('@');
    String number = at < 0 ? token : token.substring(0, at);
    if (!number.matches("\\d{1,18}")) {
      throw new IllegalArgumentException("no position in a history: " + token);
    }
    return new HistoryPosition(
        Long.parseLong(number),
        at < 0 ? Optional.empty() : Optional.of(new RunId(token.substring(at + 1))));
  }
}
