package dev.colony.blackboard;

/** The blackboard could not carry out an operation; the message says what to do about it. */
public final class BlackboardException extends RuntimeException implements Retryable {

  private static final long serialVersionUID = 1L;

  /** Why. */
  public enum Reason {
    /** No server answers at the backend's address. */
    UNREACHABLE(true),
    /** No answer in time; a write may have happened. */
    TIMEOUT(true),
    /** Too many calls wait already, or the server is busy with a script. */
    BUSY(true),
    /** The server is loading its data. */
    LOADING(true),
    /** The server's memory limit is reached. */
    OUT_OF_MEMORY(true),
    /** The server cannot write to its disk. */
    DISK(true),
    /** The server is a replica, or a failover is under way. */
    READ_ONLY(true),
    /** The cluster has no owner for the data at the moment. */
    CLUSTER_DOWN(true),
    /** User or password is missing or wrong. */
    UNAUTHENTICATED(false),
    /** The user may not run a command or touch a key. */
    FORBIDDEN(false),
    /** The server's certificate is not trusted, or there is no TLS where there should be. */
    TLS(false),
    /** The server is older than what this needs. */
    UNSUPPORTED_VERSION(false),
    /** The server is set up so that data would be lost or not be found. */
    MISCONFIGURED(false),
    /** A server of our own cannot be started, found or stopped. */
    SERVER(false),
    /** As many requests wait for the recipient as may; nothing was stored. */
    RECIPIENT_FULL(true),
    /** As many requests wait for the recipients of the tenant as may; nothing was stored. */
    TENANT_FULL(true),
    /** As many requests wait in the inbox's bucket as may; nothing was stored. */
    INBOX_FULL(true),
    /** The calling thread was interrupted. */
    INTERRUPTED(true),
    /** The data were laid out by other settings or another version. */
    LAYOUT(false),
    /** Events after a subscriber's position are gone: trimmed, or lost by the server. */
    EVENTS_LOST(false),
    /** A transaction met conflicts until its retries were used up. */
    CONCURRENT_MODIFICATION(true),
    /** An access policy forbids it. */
    ACCESS_DENIED(false),
    /** A validation policy refuses the value. */
    INVALID_VALUE(false),
    /** The blackboard has been closed. */
    CLOSED(false),
    /** Something else; a fault of the server or of this program. */
    INTERNAL(false);

    private final boolean retryable;

    Reason(boolean retryable) {
      this.retryable = retryable;
    }

    /** Whether the same operation may succeed later. */
    public boolean retryable() {
      return retryable;
    }
  }

  private final Reason reason;

  public BlackboardException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public BlackboardException(Reason reason, String message) {
    this(reason, message, null);
  }

  /** Whether too many requests wait already, so that this one was not stored. */
  public boolean full() {
    return switch (reason) {
      case RECIPIENT_FULL, TENANT_FULL, INBOX_FULL -> true;
      default -> false;
    };
  }

  public Reason reason() {
    return reason;
  }

  @Override
  public boolean retryable() {
    return reason.retryable();
  }
}
