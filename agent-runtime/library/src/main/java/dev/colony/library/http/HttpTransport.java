package dev.colony.library.http;

import dev.colony.library.http.HttpService.Method;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Makes HTTP requests as they are: follows no redirect, knows no cookies, uses no proxy, repeats
 * nothing. Thread-safe; calls block their (virtual) thread.
 */
public interface HttpTransport {

  /**
   * A request.
   *
   * @param headers one value each
   * @param body empty for none
   */
  record Request(Method method, URI url, Map<String, String> headers, Optional<String> body) {}

  /**
   * An answer.
   *
   * @param mediaType empty where the server says none
   * @param location where a redirect leads to
   * @param cut whether there was more than was to be read
   */
  record Reply(int status, String mediaType, Optional<String> location, byte[] body, boolean cut) {}

  /** There is no answer. */
  final class Unanswered extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean sent;

    /**
     * @param message one line, without the values of headers
     * @param sent whether the server may have got the request
     */
    public Unanswered(String message, Throwable cause, boolean sent) {
      super(message, cause);
      this.sent = sent;
    }

    /** Whether the server may have got the request. */
    public boolean sent() {
      return sent;
    }
  }

  /**
   * Makes a request and reads its answer.
   *
   * @param most bytes of the body that are read
   * @param longest for all of it
   * @throws IllegalArgumentException if a header cannot be sent; the message may show its value
   */
  Reply exchange(Request request, int most, Duration longest)
      throws Unanswered, InterruptedException;
}
