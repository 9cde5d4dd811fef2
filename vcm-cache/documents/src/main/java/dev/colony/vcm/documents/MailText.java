package dev.colony.vcm.documents;

import dev.colony.vcm.documents.Documents.TooLarge;
import dev.colony.vcm.source.TextReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.james.mime4j.MimeException;
import org.apache.james.mime4j.codec.DecodeMonitor;
import org.apache.james.mime4j.codec.DecoderUtil;
import org.apache.james.mime4j.stream.EntityState;
import org.apache.james.mime4j.stream.Field;
import org.apache.james.mime4j.stream.MimeConfig;
import org.apache.james.mime4j.stream.MimeTokenStream;

/**
 * The text of mail, through mime4j: the fields that people read, then the plain text, or that of
 * HTML where there is no plain one. Of what is attached its name alone.
 */
final class MailText {

  private static final int MOST_MESSAGES = 100_000;
  private static final int MOST_PARTS = 1_000;
  private static final int MOST_FIELDS = 10_000;
  private static final int MOST_FIELD_CHARS = 1 << 20;

  private static final Set<String> FIELDS = Set.of("from", "to", "cc", "date", "subject");
  private static final Pattern NAME =
      Pattern.compile("(?i)\\b(?:file)?name\\s*=\\s*(?:\"([^\"]*)\"|([^\\s;]+))");

  private MailText() {}

  /** One message. */
  static String message(byte[] document) throws IOException {
    String text = message(document, 0, document.length);
    if (text.isEmpty()) {
      throw new IOException("no mail: it has neither fields nor text");
    }
    return text;
  }

  /** Messages, each behind a line that begins with {@code From }. */
  static String mailbox(byte[] document) throws IOException {
    StringBuilder text = new StringBuilder();
    int number = 0;
    for (int from = message(document, 0), next; from < document.length; from = next) {
      next = message(document, from + 1);
      int begin = Math.min(next, lineEnd(document, from) + 1);
      text.append("[message ").append(++number).append("]\n");
      text.append(message(document, begin, next - begin));
      if (number > MOST_MESSAGES || text.length() > Documents.MOST_CHARS) {
        throw new TooLarge();
      }
    }
    if (number == 0) {
      throw new IOException("no mailbox: no line begins a message");
    }
    return text.toString();
  }

  /** Where the next message begins; the end where none does. */
  private static int message(byte[] document, int from) {
    for (int at = from; at < document.length; at = lineEnd(document, at) + 1) {
      boolean line = at == 0 || document[at - 1] == '\n';
      if (line
          && document.length - at > 5
          && new String(document, at, 5, StandardCharsets.US_ASCII).equals("From ")) {
        return at;
      }
    }
    return document.length;
  }

  private static int lineEnd(byte[] document, int from) {
    int at = from;
    while (at < document.length && document[at] != '\n') {
      at++;
    }
    return at;
  }

  /** A text of a part. */
  private record Part(boolean plain, String text) {}

  /** Parts within one another; of alternatives one is taken. */
  private record Parts(boolean alternatives, List<Part> parts) {

    List<Part> taken() {
      List<Part> plain = parts.stream().filter(Part::plain).toList();
      return alternatives && !plain.isEmpty() ? plain : parts;
    }
  }

  private static String message(byte[] document, int from, int length) throws IOException {
    MimeTokenStream stream =
        new MimeTokenStream(
            new MimeConfig.Builder()
                .setMaxLineLen(-1)
                .setMaxHeaderLen(MOST_FIELD_CHARS)
                .setMaxHeaderCount(MOST_FIELDS)
                .build());
    stream.parse(new ByteArrayInputStream(document, from, length));
    Deque<Parts> open = new ArrayDeque<>();
    open.push(new Parts(false, new ArrayList<>()));
    String attached = "";
    int parts = 0;
    try {
      for (EntityState state = stream.getState();
          state != EntityState.T_END_OF_STREAM;
          state = stream.next()) {
        switch (state) {
          case T_START_HEADER -> attached = "";
          case T_FIELD -> {
            Field field = stream.getField();
            String name = field.getName().toLowerCase(Locale.ROOT);
            if (FIELDS.contains(name) && !inPart(open)) {
              String value =
                  DecoderUtil.decodeEncodedWords(field.getBody().strip(), DecodeMonitor.SILENT);
              open.peek()
                  .parts()
                  .add(
                      new Part(
                          true, field.getName() + ": " + value.replaceAll("\\s+", " ") + "\n"));
            } else if (name.equals("content-disposition") || name.equals("content-type")) {
              attached = attached(attached, name, field.getBody());
            }
          }
          case T_START_MULTIPART ->
              open.push(
                  new Parts(
                      stream.getBodyDescriptor().getMimeType().equals("multipart/alternative"),
                      new ArrayList<>()));
          case T_END_MULTIPART -> {
            List<Part> taken = open.pop().taken();
            open.peek().parts().addAll(taken);
          }
          case T_BODY -> {
            if (++parts > MOST_PARTS) {
              throw new TooLarge();
            }
            body(stream, attached).ifPresent(open.peek().parts()::add);
          }
          default -> {}
        }
      }
    } catch (MimeException damaged) {
      throw new IOException(damaged.getMessage(), damaged);
    }
    StringBuilder text = new StringBuilder();
    open.peekLast().taken().forEach(part -> text.append(part.text()));
    return text.toString();
  }

  private static boolean inPart(Deque<Parts> open) {
    return open.size() > 1;
  }

  /** The name under which a part is attached; empty where it is a text to be read in place. */
  private static String attached(String before, String field, String value) {
    Matcher name = NAME.matcher(value);
    boolean said = field.equals("content-disposition") && value.strip().startsWith("attachment");
    if (name.find()) {
      return name.group(1) == null ? name.group(2) : name.group(1);
    }
    return said && before.isEmpty() ? "without a name" : before;
  }

  private static Optional<Part> body(MimeTokenStream stream, String attached) throws IOException {
    String type = stream.getBodyDescriptor().getMimeType();
    if (!attached.isEmpty() || !type.startsWith("text/")) {
      String name =
          attached.isEmpty()
              ? type
              : DecoderUtil.decodeEncodedWords(attached, DecodeMonitor.SILENT);
      return Optional.of(new Part(true, "[attached: " + name + "]\n"));
    }
    String text = decoded(stream);
    boolean html = type.equals("text/html");
    String own = html ? HtmlText.of(text) : text;
    return Optional.of(new Part(!html, "\n" + own.strip() + "\n"));
  }

  private static String decoded(MimeTokenStream stream) throws IOException {
    byte[] bytes = stream.getDecodedInputStream().readAllBytes();
    String named = stream.getBodyDescriptor().getCharset();
    Charset charset = StandardCharsets.US_ASCII;
    try {
      charset = named == null ? charset : Charset.forName(named);
    } catch (IllegalArgumentException unknown) {
      // told by its characters below
    }
    return charset.equals(StandardCharsets.US_ASCII)
        ? TextReader.decode(bytes).orElseGet(() -> new String(bytes, StandardCharsets.ISO_8859_1))
        : new String(bytes, charset);
  }
}
