package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A server-sent event as a client reads it.
 *
 * @param id the last one that was given
 */
record Event(String id, String name, JsonNode data) {

  /** All of a stream, to its end. */
  static List<Event> all(Stream<String> lines) {
    List<Event> events = new ArrayList<>();
    String[] fields = {"", "", ""};
    lines.forEach(line -> {
      if (line.startsWith("id: ")) {
        fields[0] = line.substring(4);
      } else if (line.startsWith("event: ")) {
        fields[1] = line.substring(7);
      } else if (line.startsWith("data: ")) {
        fields[2] = line.substring(6);
      } else if (line.isEmpty() && !fields[2].isEmpty()) {
        events.add(new Event(fields[0], fields[1], ApiClient.parse(fields[2])));
        fields[2] = "";
      }
    });
    return events;
  }
}
