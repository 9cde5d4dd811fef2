package dev.colony.inference.provider;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The body of a reply, bounded, read by one thread as it comes. What is not read is not asked of
 * the server: of what it sends, one piece at most is held.
 */
final class ReplyBody implements BodySubscriber<ReplyBody> {

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
    while (at == current.length && !over) {
      Piece piece = pieces.poll(until.leftNanos(), TimeUnit.NANOSECONDS);
      switch (piece) {
        case null -> throw new TimeoutException();
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
