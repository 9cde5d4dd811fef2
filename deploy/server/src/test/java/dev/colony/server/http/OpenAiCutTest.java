package dev.colony.server.http;

import static dev.colony.server.http.ScriptedModel.USAGE;
import static dev.colony.server.http.ScriptedModel.delta;
import static dev.colony.server.http.ScriptedModel.events;
import static dev.colony.server.http.ScriptedModel.text;
import static dev.colony.server.http.ScriptedModel.whole;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.server.http.ApiClient.Reply;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies that are cut at their bound, of a model server that has no tools of its own. */
class OpenAiCutTest extends OpenAiFixture {

  private static final String SAID = "{\"reply\": {\"reply\": \"the \\\"front";
  private static final String CALLED = "{\"reply\": {\"tool\": \"look\", \"arguments\": {\"te";

  private String written = SAID;

  @BeforeEach
  void withoutTools() {
    model.script((body, out) -> {
      if (body.has("tools")) {
        whole(
            out,
            400,
            Map.of(),
            "{\"error\": {\"message\": \"the model does not support tools\", \"code\": 400}}");
        return false;
      }
      int middle = written.length() / 2;
      events(
          out,
          part(written.substring(0, middle)),
          part(written.substring(middle)),
          delta("{}", "length"),
          USAGE,
          "[DONE]");
      return false;
    });
  }

  private static String part(String more) {
    String quoted = TextNode.valueOf(more).toString();
    return text(quoted.substring(1, quoted.length() - 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "none"})
  void aCompletionHasTheTextThatIsThere(String choice) {
    JsonNode whole = chat(choice);
    assertThat(whole.path("message").path("content").asText()).isEqualTo("the \"front");
    assertThat(whole.path("finish_reason").asText()).isEqualTo("length");
    List<String> data =
        stream(CHAT, ask(tools(choice, "{\"type\": \"function\", \"function\": {")));
    List<JsonNode> chunks =
        data.subList(0, data.size() - 1).stream().map(ApiClient::parse).toList();
    assertThat(String.join("", contents(chunks))).isEqualTo("the \"front");
    assertThat(chunks.getLast().at("/choices/0/finish_reason").asText()).isEqualTo("length");
  }

  @Test
  void aCallThatIsCutIsNone() {
    written = CALLED;
    JsonNode whole = chat("auto");
    assertThat(whole.path("message").path("content").asText()).isEmpty();
    assertThat(whole.path("message").has("tool_calls")).isFalse();
    assertThat(whole.path("finish_reason").asText()).isEqualTo("length");
    for (String data :
        stream(CHAT, ask(tools("auto", "{\"type\": \"function\", \"function\": {")))) {
      assertThat(data).doesNotContain("tool_calls", "\\\"tool\\\"");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "none"})
  void aResponseHasTheTextThatIsThere(String choice) {
    String fields = "\"input\": \"What is a bow?\", " + tools(choice, "{\"type\": \"function\", ");
    JsonNode whole =
        client.post(RESPONSES, "{\"model\": \"scripted-1\", " + fields + "}").is(200).json();
    incomplete(whole);
    List<String> data = stream(RESPONSES, "\"stream\": true, " + fields);
    incomplete(ApiClient.parse(data.getLast()).path("response"));
    for (String one : data) {
      assertThat(one).doesNotContain("reply\\\"");
    }
  }

  private static void incomplete(JsonNode response) {
    assertThat(response.path("status").asText()).isEqualTo("incomplete");
    assertThat(response.at("/incomplete_details/reason").asText()).isEqualTo("max_output_tokens");
    assertThat(response.at("/output/0/content/0/text").asText()).isEqualTo("the \"front");
  }

  private JsonNode chat(String choice) {
    String body =
        ask(tools(choice, "{\"type\": \"function\", \"function\": {"))
            .replace("\"stream\": true", "\"stream\": false");
    Reply reply = client.post(CHAT, "{" + body + "}").is(200);
    return reply.json().path("choices").path(0);
  }

  private static String tools(String choice, String before) {
    return "\"tools\": ["
        + before
        + "\"name\": \"look\", \"parameters\": {\"type\": \"object\"}}"
        + (before.contains("\"function\": {") ? "}" : "")
        + "], \"tool_choice\": \""
        + choice
        + "\"";
  }
}
