package dev.colony.blackboard;

import dev.colony.blackboard.payload.PayloadVault.PayloadListener;
import java.time.Duration;
import java.util.Optional;

/**
 * Is told what became of calls to the backend, and how old events are when subscribers get them.
 * Called on the threads of the backend and of callers, so it must be quick. Thread-safe.
 */
public interface BlackboardListener {

  /** Hears nothing. */
  BlackboardListener NONE = new BlackboardListener() {};

  /** What was asked for. */
  enum Call {
    READ,
    QUERY,
    /** Writes and deletes, be they of a transaction or not. */
    COMMIT,
    CLEAR,
    /** The stored events of a scope. */
    HISTORY,
    /** What a durable subscription has taken, and what wakes an agent. */
    SUBSCRIPTION,
    STATISTICS
  }

  /**
   * The backend has answered; a conflict of versions is an answer too.
   *
   * @param took from the call to its answer, the round trip and all repeats included
   * @param failure why it could not carry the call out; empty if it could
   */
  default void answered(Call call, Duration took, Optional<BlackboardException.Reason> failure) {}

  /**
   * A subscriber gets an event.
   *
   * @param lag from when the backend stored it, by the cluster time, until now by this machine's;
   *     never negative
   */
  default void handedOn(Duration lag) {}

  /**
   * A large value went outside the backend, or came from there.
   *
   * @param bytes of it; 0 where none was moved
   */
  default void payload(PayloadListener.Outcome outcome, long bytes) {}
}
