package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;

/**
 * An event of a stream (WHATWG HTML, server-sent events).
 *
 * @param id the place to come back to; no line break in it
 * @param name {@link #PROGRESS}, {@link #PART}, {@link #END}, {@link #PROBLEM} or {@link #MESSAGE}
 */
record ServerEvent(String id, String name, JsonNode data) {

  /** Something has happened. */
  static final String PROGRESS = "progress";

  /** More of what a model is answering. */
  static final String PART = "part";

  /** The last one: there is nothing to come back for. */
  static final String END = "end";

  /** The last one: why there are no more. */
  static final String PROBLEM = "problem";

  /** A message of the Model Context Protocol. */
  static final String MESSAGE = "message";

  private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.UTF_8);

  /** Whether nothing follows it. */
  boolean last() {
    return name.equals(END) || name.equals(PROBLEM);
  }

  byte[] bytes() {
    // JSON has no line break outside of its strings, and there it is escaped.
    return (place(id) + "event: " + name + "\ndata: " + data + "\n\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** A comment, which readers skip. */
  static byte[] heartbeat() {
    return HEARTBEAT.clone();
  }

  /** A place to come back to, without an event. */
  static byte[] begin(String id) {
    return (place(id) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static String place(String id) {
    return id.isEmpty() ? "" : "id: " + id + "\n";
  }
}
