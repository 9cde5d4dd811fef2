package dev.colony.blackboard.board;

import dev.colony.blackboard.AccessPolicy;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.Operation;
import dev.colony.blackboard.ValidationPolicy;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.BoardCounters.Count;
import java.util.Locale;
import java.util.Optional;

/** What the policies of a board let one agent do. */
record BoardPermissions(
    String agent, AccessPolicy access, ValidationPolicy validation, BoardCounters tally) {

  /** Why a call may not be made. A refusal is counted. */
  Optional<BlackboardException> refusal(Operation operation, String key) {
    return access
        .refusal(agent, operation, key)
        .map(why ->
            refused(
                Reason.ACCESS_DENIED,
                "%s may not %s: %s".formatted(agent, described(operation, key), why)));
  }

  /** Why a write may not be made: access first, then the value. A refusal is counted. */
  Optional<BlackboardException> refusal(Write write) {
    return refusal(Operation.WRITE, write.key())
        .or(() ->
            validation
                .violation(write)
                .map(why ->
                    refused(
                        Reason.INVALID_VALUE,
                        "the value of \"%s\" is refused: %s".formatted(write.key(), why))));
  }

  /** Whether an entry of this key may be shown. */
  boolean shows(String key) {
    return access.refusal(agent, Operation.READ, key).isEmpty();
  }

  /** An event of the whole scope is shown to every agent. */
  boolean shows(BlackboardEvent event) {
    return event.entryKey().map(this::shows).orElse(true);
  }

  private BlackboardException refused(Reason reason, String message) {
    tally.add(Count.REFUSALS);
    return new BlackboardException(reason, message);
  }

  private static String described(Operation operation, String key) {
    return switch (operation) {
      case READ, WRITE, DELETE -> operation.name().toLowerCase(Locale.ROOT) + " \"" + key + "\"";
      case CLEAR -> "clear the scope";
    };
  }
}
