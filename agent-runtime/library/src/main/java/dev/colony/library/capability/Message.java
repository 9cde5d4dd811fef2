package dev.colony.library.capability;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A message as its reader sees it.
 *
 * @param id unique among the messages of a colony
 * @param from the sender's name within the colony, by the blackboard's record of who wrote it; of a
 *     writer that is no agent of the colony, the name that it writes under
 * @param body text or any other JSON
 * @param answers the message that it replies to; empty for one that replies to none
 * @param round of a negotiation, 1 for its first proposal; 0 outside any
 * @param at when it was stored
 */
public record Message(
    String id,
    String from,
    Kind kind,
    JsonNode body,
    Optional<String> answers,
    int round,
    Instant at) {

  public enum Kind {
    TELL,
    /** Wants a reply. */
    ASK,
    /** The terms of a negotiation, which are accepted, rejected or answered with other terms. */
    PROPOSE,
    ACCEPT,
    REJECT
  }

  /**
   * A message as its sender writes it; the blackboard knows the rest.
   *
   * @param read whether its owner has been given it
   */
  record Stored(Kind kind, JsonNode body, Optional<String> answers, int round, boolean read) {

    Stored {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(body, "body");
    }

    Stored(Kind kind, JsonNode body, Optional<String> answers, int round) {
      this(kind, body, answers, round, false);
    }

    Stored taken() {
      return new Stored(kind, body, answers, round, true);
    }
  }
}
