package dev.colony.inference.embedded;

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
final class RequestBody {

  private final int maxBytes;
  private final Duration timeout;
  private final ScheduledExecutorService timer;

  RequestBody(int maxBytes, Duration timeout, ScheduledExecutorService timer) {
    this.maxBytes = maxBytes;
    this.timeout = timeout;
    this.timer = timer;
  }

  byte[] read(HttpExchange exchange) throws ApiError, IOException {
    String declared = exchange.getRequestHeaders().getFirst("Content-Length");
    if (declared != null && Long.parseLong(declared) > maxBytes) {
      throw tooLarge();
    }
    ScheduledFuture<?> alarm =
        timer.schedule(exchange::close, timeout.toMillis(), TimeUnit.MILLISECONDS);
    try {
      byte[] body = exchange.getRequestBody().readNBytes(maxBytes + 1);
      if (body.length > maxBytes) {
        throw tooLarge();
      }
      return body;
    } finally {
      alarm.cancel(false);
    }
  }

  private ApiError tooLarge() {
    return ApiError.tooLarge("the request body is larger than " + maxBytes + " bytes");
  }
}
