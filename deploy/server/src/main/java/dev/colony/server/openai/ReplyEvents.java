package dev.colony.server.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.InferenceDelta;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Makes the server-sent events of one reply from its deltas. Not thread-safe: a call at a time. */
public interface ReplyEvents {

  /** The bytes of the events that a delta makes; none where it makes none. */
  List<byte[]> of(InferenceDelta delta);

  /** The last events of a reply that broke off after some had been sent. */
  List<byte[]> failed(OpenAiError error);

  /** An event without a name. */
  static byte[] data(String data) {
    return ("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
  }

  /** An event with a name. */
  static byte[] named(String name, JsonNode data) {
    return ("event: " + name + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
  }
}
