package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.Scope;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32;

/** Which bucket takes the requests of a scope. */
public final class InboxBucket {

  private InboxBucket() {}

  /**
   * 0 to {@code buckets} - 1, the same in every process and version, and the same for all
   * namespaces of an agent: CRC-32 of the path without its namespace, modulo the buckets.
   */
  public static int of(Scope scope, int buckets) {
    Scope owner =
        new Scope(scope.level(), scope.tenant(), scope.colony(), scope.id(), Optional.empty());
    CRC32 crc = new CRC32();
    crc.update(owner.path().getBytes(StandardCharsets.UTF_8));
    return (int) (crc.getValue() % buckets);
  }

  /** What is said where a request is not stored because too many wait. Pure. */
  public static final class InboxRoom {

    private InboxRoom() {}

    /** Which bound was reached. */
    public enum Bound {
      RECIPIENT,
      TENANT,
      BUCKET;

      /**
       * The one that a script names by its first letter.
       *
       * @throws IllegalArgumentException if there is none
       */
      public static Bound of(String letter) {
        return switch (letter) {
          case "r" -> RECIPIENT;
          case "t" -> TENANT;
          case "b" -> BUCKET;
          default ->
              throw new IllegalArgumentException("no bound of the inbox is called " + letter);
        };
      }
    }

    /** The failure of what was offered. */
    public static BlackboardException full(Bound bound, long waiting, String recipient) {
      return switch (bound) {
        case RECIPIENT ->
            new BlackboardException(
                Reason.RECIPIENT_FULL,
                "%d requests wait for %s, as many as may; ask again later, or raise %s"
                    .formatted(waiting, recipient, "colony.blackboard.inbox.most-per-recipient"));
        case TENANT ->
            new BlackboardException(
                Reason.TENANT_FULL,
                "%d requests of its tenant wait in the bucket of %s, as many as may; ask again later,"
                        .formatted(waiting, recipient)
                    + " or raise colony.blackboard.inbox.most-per-tenant");
        case BUCKET ->
            new BlackboardException(
                Reason.INBOX_FULL,
                "%d requests wait in the inbox bucket of %s, as many as may; ask again later, or"
                        .formatted(waiting, recipient)
                    + " raise colony.blackboard.inbox.most-per-bucket");
      };
    }
  }
}
