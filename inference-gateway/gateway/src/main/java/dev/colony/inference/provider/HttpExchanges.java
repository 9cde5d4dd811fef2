package dev.colony.inference.provider;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.WellFormed;
import dev.colony.inference.provider.ServerError.StatusErrors;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
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

  /** The same with another bound on replies. */
  HttpExchanges atMost(int bytes) {
    return new HttpExchanges(client, bytes);
  }

  /** The JSON body of a 2xx reply, an object or a list. */
  JsonNode json(HttpRequest request, Duration timeout) throws CallFailure, InterruptedException {
    Deadline end = Deadline.ofReply(timeout);
    try (Opened opened = open(request, end)) {
      byte[] body = opened.rest(end);
      if (opened.status() / 100 != 2) {
        throw StatusErrors.failure(request.uri(), opened.response(), body);
      }
      notAnError(opened, body);
      return tree(request.uri(), body);
    }
  }

  /** Sends a request and waits for the head of its reply. */
  Opened open(HttpRequest request, Deadline until) throws CallFailure, InterruptedException {
    // Made here: where the head comes as this is aborted, the body has to be closed all the same.
    ReplyBody body = new ReplyBody(maxReplyBytes);
    CompletableFuture<HttpResponse<ReplyBody>> exchange = client.sendAsync(request, info -> body);
    boolean opened = false;
    try {
      Deadline now = until;
      while (true) {
        try {
          HttpResponse<ReplyBody> response = exchange.get(now.leftNanos(), TimeUnit.NANOSECONDS);
          opened = true;
          return new Opened(request.uri(), response);
        } catch (TimeoutException late) {
          now = now.moved(late);
        }
      }
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
   * @param later until when it may happen all the same, asked when the time is over; empty for
   *     never
   */
  record Deadline(long nanos, String words, Supplier<Optional<Deadline>> later) {

    static Deadline in(Duration time, String words) {
      return new Deadline(System.nanoTime() + time.toNanos(), words, Optional::empty);
    }

    /** One that begins anew while something holds. */
    static Deadline in(Duration time, String words, BooleanSupplier again) {
      return new Deadline(
          System.nanoTime() + time.toNanos(),
          words,
          () -> again.getAsBoolean() ? Optional.of(in(time, words, again)) : Optional.empty());
    }

    /** For a whole reply. */
    static Deadline ofReply(Duration time) {
      return in(time, "gave no complete reply within " + time.toMillis() + " ms");
    }

    /** The earlier of the two. */
    Deadline or(Deadline other) {
      return nanos - other.nanos <= 0
          ? new Deadline(nanos, words, () -> later.get().map(one -> one.or(other)))
          : other;
    }

    /** The later one. */
    Deadline moved(TimeoutException late) throws TimeoutException {
      return later.get().orElseThrow(() -> late);
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
    notAnError(opened, body);
    return parse(opened.uri(), body);
  }

  private static void notAnError(Opened opened, byte[] body) throws CallFailure {
    Optional<ServerError> error = ServerError.within(body);
    if (error.isPresent()) {
      throw StatusErrors.instead(error.get(), opened.response()).at(opened.uri());
    }
  }

  static JsonNode parse(URI uri, byte[] body) throws CallFailure {
    JsonNode root = tree(uri, body);
    if (!root.isObject()) {
      throw CallFailure.bad("answered no JSON object").at(uri);
    }
    return root;
  }

  private static JsonNode tree(URI uri, byte[] body) throws CallFailure {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw CallFailure.unplaced(Kind.BAD_REPLY, "answered something that is not JSON", e).at(uri);
    }
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

  /**
   * The body of a reply, bounded, read by one thread as it comes. What is not read is not asked of
   * the server: of what it sends, one piece at most is held.
   */
  static final class ReplyBody implements BodySubscriber<ReplyBody> {

    /** The body outgrew its bound. */
    static final class TooLarge extends IOException {
      private static final long serialVersionUID = 1L;

      private final int maxBytes;

      TooLarge(int maxBytes) {
        super("gives a reply larger than " + maxBytes + " bytes");
        this.maxBytes = maxBytes;
      }

      int maxBytes() {
        return maxBytes;
      }

      /** What the model is told. */
      static String fault(long maxBytes) {
        return "it has more than %,d bytes, the most that a reply may have: write a shorter one"
            .formatted(maxBytes);
      }
    }

    /** What the connection gave. */
    private sealed interface Piece {

      record Bytes(byte[] bytes) implements Piece {}

      record Failed(Throwable failure) implements Piece {}

      record End() implements Piece {}
    }

    private final int maxBytes;
    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private final CompletableFuture<Subscription> subscribed = new CompletableFuture<>();
    private byte[] current = {};
    private int at;
    private int total;
    private boolean over;

    ReplyBody(int maxBytes) {
      this.maxBytes = maxBytes;
    }

    /** At once: the body is read afterwards. */
    @Override
    public CompletionStage<ReplyBody> getBody() {
      return CompletableFuture.completedStage(this);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscribed.complete(subscription);
      subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (ByteBuffer buffer : buffers) {
        byte[] chunk = new byte[buffer.remaining()];
        buffer.get(chunk);
        bytes.writeBytes(chunk);
      }
      pieces.add(new Piece.Bytes(bytes.toByteArray()));
    }

    @Override
    public void onError(Throwable failure) {
      pieces.add(new Piece.Failed(failure));
    }

    @Override
    public void onComplete() {
      pieces.add(new Piece.End());
    }

    /** Bytes that have come. */
    long come() {
      return total;
    }

    /** Whether what has not been read begins so; waits for it. */
    boolean begins(String start, HttpExchanges.Deadline until)
        throws IOException, TimeoutException, InterruptedException {
      return fill(until)
          && new String(current, at, current.length - at, StandardCharsets.UTF_8).startsWith(start);
    }

    /** All that is left. */
    byte[] rest(HttpExchanges.Deadline until)
        throws IOException, TimeoutException, InterruptedException {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      while (fill(until)) {
        all.write(current, at, current.length - at);
        at = current.length;
      }
      return all.toByteArray();
    }

    /** The next line of UTF-8, ended by LF, CR LF or the end of the body; null at the end. */
    String line(HttpExchanges.Deadline until)
        throws IOException, TimeoutException, InterruptedException {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      boolean any = false;
      while (fill(until)) {
        any = true;
        int end = at;
        while (end < current.length && current[end] != '\n') {
          end++;
        }
        line.write(current, at, end - at);
        at = Math.min(end + 1, current.length);
        if (end < current.length) {
          return text(line);
        }
      }
      return any ? text(line) : null;
    }

    private static String text(ByteArrayOutputStream line) {
      String text = line.toString(StandardCharsets.UTF_8);
      return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    /** False at the end. */
    private boolean fill(HttpExchanges.Deadline until)
        throws IOException, TimeoutException, InterruptedException {
      HttpExchanges.Deadline now = until;
      while (at == current.length && !over) {
        Piece piece = pieces.poll(now.leftNanos(), TimeUnit.NANOSECONDS);
        switch (piece) {
          case null -> now = now.moved(new TimeoutException());
          case Piece.Bytes more -> {
            total += more.bytes().length;
            if (total > maxBytes) {
              throw new TooLarge(maxBytes);
            }
            current = more.bytes();
            at = 0;
            subscribed.join().request(1);
          }
          case Piece.Failed failed ->
              throw failed.failure() instanceof IOException io
                  ? io
                  : new IOException(failed.failure());
          case Piece.End end -> over = true;
        }
      }
      return at < current.length;
    }

    /** Ends the connection unless the body has come to its end. */
    void close() {
      subscribed.thenAccept(Subscription::cancel);
    }
  }
}
