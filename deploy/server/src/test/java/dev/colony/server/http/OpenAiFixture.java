package dev.colony.server.http;

import static dev.colony.server.http.ScriptedModel.USAGE;
import static dev.colony.server.http.ScriptedModel.delta;
import static dev.colony.server.http.ScriptedModel.events;
import static dev.colony.server.http.ScriptedModel.more;
import static dev.colony.server.http.ScriptedModel.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.http.ScriptedModel.Script;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** OpenAI's protocols over a model server that answers by script, and a client that asks. */
abstract class OpenAiFixture {

  static final String CHAT = "/v1/chat/completions";
  static final String RESPONSES = "/v1/responses";
  static final String ABSENT = "bbbbbbbbbbbbbbbbbbbbbbbbbb";

  static final Script SHIP =
      (body, out) -> {
        events(
            out,
            delta("{\"role\":\"assistant\",\"content\":\"the front\"}", ""),
            text(" of a ship"),
            delta("{}", "stop"),
            USAGE,
            "[DONE]");
        return false;
      };

  static OpenAiRig rig;
  final ApiClient client = ApiClient.of(rig.api());
  ScriptedModel model;

  @BeforeAll
  static void start() {
    rig = new OpenAiRig(AccessSettings.OPEN);
  }

  @AfterAll
  static void end() {
    rig.close();
  }

  @BeforeEach
  void serve() {
    model = new ScriptedModel(SHIP);
    rig.serve(Optional.of(model));
  }

  @AfterEach
  void unserve() {
    rig.serve(Optional.empty());
    model.close();
  }

  static List<String> contents(List<JsonNode> chunks) {
    return chunks.stream()
        .map(chunk -> chunk.path("choices").path(0).path("delta").path("content").asText(""))
        .filter(text -> !text.isEmpty())
        .toList();
  }

  static String ask(String more) {
    return "\"model\": \"scripted-1\", \"stream\": true, \"messages\": [{\"role\": \"user\","
        + " \"content\": \"What is a bow?\"}], "
        + more;
  }

  List<String> stream(String path, String fields) {
    return lines(path, fields).stream()
        .filter(line -> line.startsWith("data: "))
        .map(line -> line.substring(6))
        .toList();
  }

  List<String> lines(String path, String fields) {
    String body = fields.contains("\"model\"") ? fields : "\"model\": \"scripted-1\", " + fields;
    try (var lines = client.stream("POST", path, "{" + body + "}", Map.of())) {
      return lines.toList();
    }
  }
}
