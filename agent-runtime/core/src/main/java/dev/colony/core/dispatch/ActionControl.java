package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a caller may tell an action that is running. */
public enum ActionControl {
  /** Stop at your next pause point and wait there; the time until you go on is not counted. */
  PAUSE,
  /** Go on. */
  RESUME,
  /** End; what you have done until now stays done. */
  CANCEL;

  /** How it stands in an entry. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads {@link #word} back; empty for anything else. */
  static Optional<ActionControl> of(JsonNode value) {
    return Arrays.stream(values())
        .filter(control -> control.word().equals(value.asText()))
        .findFirst();
  }
}
