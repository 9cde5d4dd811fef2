package dev.colony.server.http;

import static dev.colony.server.http.ScriptedModel.USAGE;
import static dev.colony.server.http.ScriptedModel.delta;
import static dev.colony.server.http.ScriptedModel.events;
import static dev.colony.server.http.ScriptedModel.text;
import static dev.colony.server.http.ScriptedModel.whole;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.http.ScriptedModel.Script;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A model that OpenAI's own clients are held against: what it answers goes by what it is asked. */
final class OfficialClients {

  static final String ANSWER = "the front of a ship";

  /** What a user says for a reply that has no end. */
  static final String ENDLESS = "Go on for ever.";

  /** What a user says to be answered by status 429 with {@code Retry-After: 7}. */
  static final String BUSY = "Is there room?";

  /** The same the first time only, with {@code Retry-After: 1}. */
  static final String BUSY_ONCE = "Is there room now?";

  private OfficialClients() {}

  static Script model() {
    AtomicInteger busy = new AtomicInteger();
    return (body, out) -> {
      JsonNode last = body.path("messages").path(body.path("messages").size() - 1);
      String said = last.path("content").asText();
      if (said.contains(ENDLESS)) {
        events(out, text("the front"));
        return true;
      }
      if (said.contains(BUSY) || said.contains(BUSY_ONCE) && busy.getAndIncrement() == 0) {
        String after = said.contains(BUSY) ? "7" : "1";
        whole(out, 429, Map.of("Retry-After", after), "{\"error\": {\"message\": \"slow down\"}}");
      } else if (last.path("role").asText().equals("tool")) {
        answer(out, text(said), "stop");
      } else if (body.has("tools")) {
        answer(
            out,
            delta(
                """
                {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function":
                  {"name": "%s", "arguments": "{\\"term\\": \\"bow\\"}"}}]}\
                """
                    .formatted(body.at("/tools/0/function/name").asText())
                    .replace("\n", ""),
                ""),
            "tool_calls");
      } else if (body.has("response_format")) {
        answer(out, text("{\\\"term\\\": \\\"bow\\\", \\\"letters\\\": 3}"), "stop");
      } else {
        events(out, text("the front"), text(" of a ship"), delta("{}", "stop"), USAGE, "[DONE]");
      }
      return false;
    };
  }

  private static void answer(OutputStream out, String chunk, String finish) throws IOException {
    events(out, chunk, delta("{}", finish), USAGE, "[DONE]");
  }
}
