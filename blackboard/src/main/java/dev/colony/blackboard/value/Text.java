package dev.colony.blackboard.value;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Text as it may be stored: every character whole. Java strings and JSON may hold half a surrogate
 * pair, which has no form in UTF-8, so that what holds one cannot be journaled. Text that is given
 * is {@link #check checked} and refused by name; text that only describes something is {@link
 * #wellFormed made well-formed}; and whatever is shortened is cut here, where no pair is parted.
 * Bounds are in UTF-16 characters. Each method reads its text once and copies what is as it should
 * be never.
 */
public final class Text {

  /** Stands where half a surrogate pair was: the replacement character. */
  public static final char REPLACEMENT = '\uFFFD';

  /** The length of a line that shows what a library or a constructor says. */
  private static final int MESSAGE = 300;

  private static final String MORE = "...";

  /** How long a pipe may wait for its writer. */
  private static final int WRITER_SECONDS = 5;

  private Text() {}

  /** Where the first half of a surrogate pair stands that has no other half; -1 if none does. */
  public static int half(String text) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
        continue;
      }
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < length
              && Character.isLowSurrogate(text.charAt(i + 1));
      if (!pair) {
        return i;
      }
      i++;
    }
    return -1;
  }

  /**
   * Returns the text if it is well-formed.
   *
   * @param what names the text in a refusal: "the reason", "$.a.b"
   * @throws IllegalArgumentException naming the text and the place of the half in it, from 0
   */
  public static String check(String what, String text) {
    fault(what, text)
        .ifPresent(fault -> {
          throw new IllegalArgumentException(fault);
        });
    return text;
  }

  /** What {@link #check} says of the text, on one line; empty if it is well-formed. */
  public static Optional<String> fault(String what, String text) {
    int half = half(text);
    return half < 0 ? Optional.empty() : Optional.of(fault(what, half));
  }

  static String fault(String what, int half) {
    return what + " holds half a surrogate pair at character " + half;
  }

  /** The text with {@link #REPLACEMENT} for each half of a pair; itself if there is none. */
  public static String wellFormed(String text) {
    int half = half(text);
    if (half < 0) {
      return text;
    }
    StringBuilder whole = new StringBuilder(text.length()).append(text, 0, half);
    for (int i = half; i < text.length(); ) {
      int c = text.codePointAt(i);
      boolean lone = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
      whole.appendCodePoint(lone ? REPLACEMENT : c);
      i += Character.charCount(c);
    }
    return whole.toString();
  }

  /**
   * The first {@code most} characters, or one less where the last of them begins a pair;
   * well-formed if the text is. What is not looked at may be very long.
   */
  public static String head(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    boolean parts = most > 0 && Character.isHighSurrogate(text.charAt(most - 1));
    return text.substring(0, parts ? most - 1 : Math.max(0, most));
  }

  /** The last {@code most} characters, or one less where the first of them ends a pair. */
  public static String tail(String text, int most) {
    int from = Math.max(0, text.length() - most);
    boolean parts = from > 0 && from < text.length() && Character.isLowSurrogate(text.charAt(from));
    return text.substring(parts ? from + 1 : from);
  }

  /**
   * The well-formed text; of one longer than {@code most} its head and {@code ...}, which together
   * are no longer than that.
   */
  public static String cut(String text, int most) {
    return text.length() <= most ? wellFormed(text) : marked(text, most);
  }

  private static String marked(String text, int most) {
    return head(wellFormed(head(text, most)), most - MORE.length()) + MORE;
  }

  /** What a failure says, on one line of at most 300 characters; its type where it says nothing. */
  public static String message(Throwable failure) {
    return failure.getMessage() == null
        ? failure.getClass().getSimpleName()
        : message(failure.getMessage());
  }

  /** The same of a message. */
  public static String message(String message) {
    return line(message, MESSAGE);
  }

  /**
   * What {@link #cut} leaves, on one line: each run of white space and of control characters is one
   * blank.
   */
  public static String line(String text, int most) {
    // Four times as much is enough to find a line in, and bounds the work on a very long text.
    String near = head(text, (int) Math.min(Integer.MAX_VALUE, 4L * most));
    String line = near.replaceAll("[\\s\\p{Cntrl}\\u2028\\u2029]+", " ").strip();
    return near.length() == text.length() ? cut(line, most) : marked(line, most);
  }

  /**
   * What a file holds, of which no more is read than it may have: what is named may be a device or
   * a pipe that never ends, or a pipe without a writer, which is waited for for some seconds.
   *
   * @throws IOException if it cannot be read or is no UTF-8
   * @throws IllegalArgumentException on one line, if it is longer
   */
  public static String ofFile(Path file, int mostBytes) throws IOException {
    boolean plain = !Files.readAttributes(file, BasicFileAttributes.class).isOther();
    try (InputStream in = plain ? Files.newInputStream(file) : opened(file)) {
      return of(in, mostBytes);
    }
  }

  /** The system opens a named pipe when a process writes to it. */
  private static InputStream opened(Path file) throws IOException {
    CompletableFuture<InputStream> opened = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("opening-a-pipe")
        .start(() -> {
          try {
            InputStream in = Files.newInputStream(file);
            if (!opened.complete(in)) {
              in.close();
            }
          } catch (IOException unreadable) {
            opened.completeExceptionally(unreadable);
          }
        });
    try {
      return opened.get(WRITER_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException silent) {
      opened.cancel(false);
      throw new IOException("it is a pipe without a writer", silent);
    } catch (ExecutionException unreadable) {
      throw new IOException(unreadable.getCause().getMessage(), unreadable.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    }
  }

  /**
   * The same of a stream; it is not closed.
   *
   * @throws IOException if it cannot be read or is no UTF-8
   * @throws IllegalArgumentException on one line, if it is longer
   */
  public static String of(InputStream in, int mostBytes) throws IOException {
    byte[] bytes = in.readNBytes(mostBytes + 1);
    if (bytes.length > mostBytes) {
      throw new IllegalArgumentException("it has more than %,d bytes".formatted(mostBytes));
    }
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }
}
