package dev.colony.replica;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Reads request bodies within a bound of size and of time. A client that is too slow loses its
 * connection, because a blocked read can be ended in no other way.
 */
final class BoundedRequest {

  private final int maxBytes;
  private final Duration timeout;
  private final ScheduledExecutorService timer;

  BoundedRequest(int maxBytes, Duration timeout, ScheduledExecutorService timer) {
    this.maxBytes = maxBytes;
    this.timeout = timeout;
    this.timer = timer;
  }

  byte[] read(HttpExchange exchange) throws ApiError, IOException {
    String declared = exchange.getRequestHeaders().getFirst("Content-Length");
    if (declared != null && Long.parseLong(declared) > maxBytes) {
      discard(exchange);
      throw tooLarge();
    }
    ScheduledFuture<?> alarm = alarm(exchange);
    try {
      byte[] body = exchange.getRequestBody().readNBytes(maxBytes);
      if (exchange.getRequestBody().read() >= 0) {
        discard(exchange);
        throw tooLarge();
      }
      return body;
    } finally {
      alarm.cancel(false);
    }
  }

  /**
   * Reads past a body that is refused, up to the bound: a client that is still sending when the
   * connection closes would lose the reply that says why.
   */
  void discard(HttpExchange exchange) throws IOException {
    ScheduledFuture<?> alarm = alarm(exchange);
    try {
      exchange.getRequestBody().skip(maxBytes);
    } finally {
      alarm.cancel(false);
    }
  }

  private ScheduledFuture<?> alarm(HttpExchange exchange) {
    return timer.schedule(exchange::close, timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private ApiError tooLarge() {
    return ApiError.tooLarge("the request body is larger than " + maxBytes + " bytes");
  }
}
