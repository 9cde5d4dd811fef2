package dev.colony.inference.provider;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.WellFormed;
import dev.colony.inference.provider.ServerError.StatusErrors;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * One HTTP exchange with a server, every way it can end brought to one clear line. Blocks; an
 * interrupt aborts the exchange, and with it the connection. Thread-safe.
 */
final class HttpExchanges {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final int SHOWN_CHARS = 200;

  private final HttpClient client;
  private final int maxReplyBytes;

  HttpExchanges(HttpClient client) {
    this(client, ProviderSettings.MOST_REPLY_BYTES);
  }

  HttpExchanges(HttpClient client, int maxReplyBytes) {
    this.client = client;
    this.maxReplyBytes = maxReplyBytes;
  }

  /** The JSON body of a 2xx reply. */
  JsonNode json(HttpRequest request, Duration timeout) throws CallFailure, InterruptedException {
    Deadline end = Deadline.ofReply(timeout);
    try (Opened opened = open(request, end)) {
      byte[] body = opened.rest(end);
      if (opened.status() / 100 != 2) {
        throw StatusErrors.failure(request.uri(), opened.response(), body);
      }
      return parse(opened, body);
    }
  }

  /** Sends a request and waits for the head of its reply. */
  Opened open(HttpRequest request, Deadline until) throws CallFailure, InterruptedException {
    // Made here: where the head comes as this is aborted, the body has to be closed all the same.
    ReplyBody body = new ReplyBody(maxReplyBytes);
    CompletableFuture<HttpResponse<ReplyBody>> exchange = client.sendAsync(request, info -> body);
    boolean opened = false;
    try {
      HttpResponse<ReplyBody> response = exchange.get(until.leftNanos(), TimeUnit.NANOSECONDS);
      opened = true;
      return new Opened(request.uri(), response);
    } catch (TimeoutException e) {
      throw new CallFailure(Kind.TIMEOUT, request.uri() + " " + until.words(), e);
    } catch (ExecutionException e) {
      throw translate(request.uri(), e.getCause());
    } finally {
      if (!opened) {
        exchange.cancel(true);
        body.close();
      }
    }
  }

  /**
   * Until when something has to have happened.
   *
   * @param words what is said of a server where it has not
   */
  record Deadline(long nanos, String words) {

    static Deadline in(Duration time, String words) {
      return new Deadline(System.nanoTime() + time.toNanos(), words);
    }

    /** For a whole reply. */
    static Deadline ofReply(Duration time) {
      return in(time, "gave no complete reply within " + time.toMillis() + " ms");
    }

    /** The earlier of the two. */
    Deadline or(Deadline other) {
      return nanos - other.nanos <= 0 ? this : other;
    }

    long leftNanos() {
      return Math.max(1, nanos - System.nanoTime());
    }
  }

  /** A reply whose body is still coming; closing it before its end closes the connection. */
  record Opened(URI uri, HttpResponse<ReplyBody> response) implements AutoCloseable {

    int status() {
      return response.statusCode();
    }

    /** Whether events come: by the type, or by how the body begins where the type is another. */
    boolean events(Deadline until) throws CallFailure, InterruptedException {
      return response
              .headers()
              .firstValue("Content-Type")
              .filter(type -> type.toLowerCase(Locale.ROOT).startsWith("text/event-stream"))
              .isPresent()
          || read(() -> response.body().begins("data:", until), until);
    }

    private interface Reading<T> {
      T read() throws IOException, TimeoutException, InterruptedException;
    }

    private <T> T read(Reading<T> reading, Deadline until)
        throws CallFailure, InterruptedException {
      try {
        return reading.read();
      } catch (IOException failure) {
        throw translate(uri, failure);
      } catch (TimeoutException late) {
        throw new CallFailure(Kind.TIMEOUT, uri + " " + until.words(), late);
      }
    }

    /** What has not been read, to its end. */
    byte[] rest(Deadline until) throws CallFailure, InterruptedException {
      return read(() -> response.body().rest(until), until);
    }

    /** Bytes of the body that have come. */
    long come() {
      return response.body().come();
    }

    /** The next line without its end; null after the last. */
    String line(Deadline until) throws CallFailure, InterruptedException {
      return read(() -> response.body().line(until), until);
    }

    @Override
    public void close() {
      response.body().close();
    }
  }

  static CallFailure translate(URI uri, Throwable cause) {
    for (Throwable t = cause; t != null; t = t.getCause()) {
      if (t instanceof HttpConnectTimeoutException) {
        return new CallFailure(Kind.UNREACHABLE, "no server answers at " + uri, cause);
      }
      if (t instanceof UnresolvedAddressException) {
        return new CallFailure(Kind.UNREACHABLE, "no such host: " + uri.getHost(), cause);
      }
      if (t instanceof ConnectException) {
        return new CallFailure(Kind.UNREACHABLE, "no connection to " + uri, cause);
      }
      if (t instanceof SSLException) {
        return new CallFailure(
            Kind.REFUSED, "no secure connection to " + uri + ": " + oneLine(t.getMessage()), cause);
      }
      if (t instanceof ReplyBody.TooLarge large) {
        return CallFailure.bad(t.getMessage(), ReplyBody.TooLarge.fault(large.maxBytes())).at(uri);
      }
      if (t instanceof ProtocolException) {
        return CallFailure.unplaced(Kind.BAD_REPLY, "does not speak HTTP", cause).at(uri);
      }
    }
    String detail = cause instanceof IOException ? cause.getMessage() : cause.toString();
    return new CallFailure(
        Kind.BROKEN_OFF, uri + " broke off its reply (" + oneLine(detail) + ")", cause);
  }

  /** The JSON of a reply; a reply that is an error is none. */
  static JsonNode parse(Opened opened, byte[] body) throws CallFailure {
    Optional<ServerError> error = ServerError.within(body);
    if (error.isPresent()) {
      throw StatusErrors.instead(error.get(), opened.response()).at(opened.uri());
    }
    return parse(opened.uri(), body);
  }

  static JsonNode parse(URI uri, byte[] body) throws CallFailure {
    JsonNode root;
    try {
      root = JSON.readTree(body);
    } catch (IOException e) {
      throw CallFailure.unplaced(Kind.BAD_REPLY, "answered something that is not JSON", e).at(uri);
    }
    if (root == null || !root.isObject()) {
      throw CallFailure.bad("answered no JSON object").at(uri);
    }
    return root;
  }

  static byte[] bytes(JsonNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree is always writable", e);
    }
  }

  /** Text of others, fit for one line of ours. */
  static String oneLine(String text) {
    if (text == null) {
      return "no detail";
    }
    String line = WellFormed.of(text.replaceAll("\\s+", " ").strip());
    return line.length() > SHOWN_CHARS ? WellFormed.head(line, SHOWN_CHARS) + "..." : line;
  }
}
