package dev.colony.server.http;

import java.time.Duration;
import java.util.Optional;

/**
 * Is told how the API of a node fares. Called on the threads that serve requests, so it must be
 * quick. Thread-safe. What is no HTTP request is answered before anything here hears of it.
 */
public interface ApiListener {

  /** Hears nothing. */
  ApiListener NONE = new ApiListener() {};

  /**
   * A request has its answer; that of a stream as the stream begins.
   *
   * @param operation its id in the OpenAPI document; empty for a request that was refused before it
   *     was known what it is for
   * @param status of HTTP
   * @param took from its head until the answer could be sent, the time included for which it asked
   *     to be held
   */
  default void answered(Optional<String> operation, int status, Duration took) {}

  /**
   * A request, or a stream that had begun, was given a problem in place of what it was for.
   *
   * @param code of the problem
   */
  default void problem(String code) {}

  /** A request is worked on from here on; those that wait for their turn are not. */
  default void workBegun() {}

  /** The work on a request has ended, whatever came of it. */
  default void workEnded() {}

  /**
   * A connection was closed without an answer, since its remote address has as many open as it may,
   * or it sent no request while others waited.
   */
  default void connectionRefused() {}

  /** A connection is open from here on. */
  default void connected() {}

  /** A connection has ended. */
  default void disconnected() {}

  /** A stream of events is read from here on. */
  default void streamOpened() {}

  /** A stream of events has ended. */
  default void streamClosed() {}
}
