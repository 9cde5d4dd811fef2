package dev.colony.inference.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.WellFormed;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

  HttpExchanges(HttpClient client, int maxReplyBytes) {
    this.client = client;
    this.maxReplyBytes = maxReplyBytes;
  }

  /** The JSON body of a 2xx reply. */
  JsonNode json(HttpRequest request, Duration timeout) throws CallFailure, InterruptedException {
    HttpResponse<byte[]> response = send(request, timeout);
    if (response.statusCode() / 100 != 2) {
      throw StatusErrors.failure(request.uri(), response);
    }
    return parse(request.uri(), response.body());
  }

  /**
   * Any reply. The timeout covers it from the connection to the last byte of the body, which the
   * JDK client's own timeout does not.
   */
  HttpResponse<byte[]> send(HttpRequest request, Duration timeout)
      throws CallFailure, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> exchange =
        client.sendAsync(request, info -> new BoundedBody(maxReplyBytes));
    try {
      return exchange.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new CallFailure(
          Kind.TIMEOUT,
          request.uri() + " gave no complete reply within " + timeout.toMillis() + " ms",
          e);
    } catch (ExecutionException e) {
      throw translate(request.uri(), e.getCause());
    } finally {
      exchange.cancel(true);
    }
  }

  private static CallFailure translate(URI uri, Throwable cause) {
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
      if (t instanceof BoundedBody.TooLarge) {
        return new CallFailure(Kind.BAD_REPLY, uri + ": " + t.getMessage(), cause);
      }
      if (t instanceof ProtocolException) {
        return new CallFailure(Kind.BAD_REPLY, uri + " does not speak HTTP", cause);
      }
    }
    String detail = cause instanceof IOException ? cause.getMessage() : cause.toString();
    return new CallFailure(
        Kind.SERVER_ERROR, uri + " broke off its reply (" + oneLine(detail) + ")", cause);
  }

  static JsonNode parse(URI uri, byte[] body) throws CallFailure {
    JsonNode root;
    try {
      root = JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new CallFailure(Kind.BAD_REPLY, uri + " answered something that is not JSON", e);
    } catch (IOException e) {
      throw new CallFailure(Kind.BAD_REPLY, uri + " answered something that is not JSON", e);
    }
    if (root == null || !root.isObject()) {
      throw new CallFailure(Kind.BAD_REPLY, uri + " answered no JSON object", null);
    }
    return root;
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
