package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A trace of requests whose prompts are lists of chained blocks, a file of {@link JsonLines}. The
 * form is Mooncake's, with sessions and dependencies added: a request that depends on others comes
 * after them.
 *
 * @param name for a person
 * @param sessions whether requests belong to sessions, as those of agents do
 * @param requests how many there are
 */
record Trace(Path file, String name, boolean sessions, int requests) {

  /**
   * Reads a trace to its end.
   *
   * @throws UncheckedIOException if it cannot be read; the message names it
   * @throws IllegalArgumentException if a line is no request; the message is one line that names it
   */
  static Trace open(Path file) {
    List<ObjectNode> requests = read(file);
    boolean sessions = requests.stream().anyMatch(one -> one.path("session_id").isTextual());
    return new Trace(file, file.getFileName().toString(), sessions, requests.size());
  }

  /** All requests of a trace, in their order. */
  static List<ObjectNode> read(Path file) {
    List<ObjectNode> requests = new ArrayList<>();
    try {
      JsonLines.read(file, 0, line -> requests.add(request(line)));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(file + " cannot be read", unreadable);
    }
    if (requests.isEmpty()) {
      throw new IllegalArgumentException(file + " has no requests: give a trace of JSON lines");
    }
    return requests;
  }

  private static ObjectNode request(JsonNode line) {
    if (!(line instanceof ObjectNode request)
        || !request.path("input_length").isIntegralNumber()
        || !request.path("hash_ids").isArray()) {
      throw new IllegalArgumentException("no request: input_length and hash_ids are wanted");
    }
    return request;
  }
}
