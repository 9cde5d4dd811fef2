package dev.colony.client.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads server-sent events from bytes, however these are cut. Comments and unknown fields are
 * passed over; an event that the stream ends in is none. Pure; for one thread at a time.
 *
 * <p>Source: WHATWG, HTML, "Server-sent events", the interpretation of an event stream.
 */
final class SseParser {

  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final int mostBytes;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final StringBuilder data = new StringBuilder();
  private String name = "";
  private String id = "";
  private boolean first = true;
  private boolean returned;

  /**
   * @param mostBytes of one event
   */
  SseParser(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  /**
   * The events that these bytes complete.
   *
   * @throws IllegalArgumentException if an event is larger than it may be
   */
  List<SseEvent> feed(ByteBuffer bytes) {
    List<SseEvent> events = new ArrayList<>();
    while (bytes.hasRemaining()) {
      byte next = bytes.get();
      boolean pair = returned && next == '\n';
      returned = next == '\r';
      if (pair) {
        continue;
      }
      if (next == '\n' || next == '\r') {
        endLine().ifPresent(events::add);
      } else {
        line.write(next);
        if (line.size() + data.length() > mostBytes) {
          throw new IllegalArgumentException("an event has more than " + mostBytes + " bytes");
        }
      }
    }
    return events;
  }

  private Optional<SseEvent> endLine() {
    byte[] bytes = line.toByteArray();
    line.reset();
    int from = first && startsWithMark(bytes) ? MARK.length : 0;
    first = false;
    String text = new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    if (text.isEmpty()) {
      return dispatched();
    }
    int colon = text.indexOf(':');
    String field = colon < 0 ? text : text.substring(0, colon);
    String value = colon < 0 ? "" : text.substring(colon + 1);
    take(field, value.startsWith(" ") ? value.substring(1) : value);
    return Optional.empty();
  }

  private static boolean startsWithMark(byte[] bytes) {
    return bytes.length >= MARK.length
        && bytes[0] == MARK[0]
        && bytes[1] == MARK[1]
        && bytes[2] == MARK[2];
  }

  private void take(String field, String value) {
    switch (field) {
      case "data" -> data.append(value).append('\n');
      case "event" -> name = value;
      case "id" -> id = value.indexOf('\0') < 0 ? value : id;
      default -> {
        // A comment, or a field that says nothing to us.
      }
    }
  }

  private Optional<SseEvent> dispatched() {
    Optional<SseEvent> event =
        data.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new SseEvent(
                    id, name.isEmpty() ? "message" : name, data.substring(0, data.length() - 1)));
    data.setLength(0);
    name = "";
    return event;
  }

  /**
   * One event of a stream of server-sent events.
   *
   * @param id the last that the stream has given; empty for none
   * @param name its type
   */
  record SseEvent(String id, String name, String data) {}
}
