package dev.colony.server.http;

import static dev.colony.server.http.ScriptedModel.events;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.http.ApiClient.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** OpenAI's responses over a model server that answers by script. */
class OpenAiResponsesTest extends OpenAiFixture {

  @Test
  void aResponseHasItsOutputAndItsUsage() {
    Reply reply =
        client
            .post(
                RESPONSES,
                """
                {"model": "scripted-1", "instructions": "Be short.", "max_output_tokens": 50,
                 "metadata": {"a": "b"}, "store": true, "reasoning": {"effort": "high"},
                 "input": [
                   {"role": "user", "content": [{"type": "input_text", "text": "Look it up."}]},
                   {"type": "reasoning", "id": "r", "summary": []},
                   {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
                   {"type": "function_call_output", "call_id": "c1", "output": "found"},
                   {"role": "user", "content": "What is a bow?"}]}
                """)
            .is(200);
    JsonNode response = reply.json();
    assertThat(response.path("status").asText()).isEqualTo("completed");
    JsonNode message = response.path("output").path(0);
    assertThat(message.path("type").asText()).isEqualTo("message");
    assertThat(message.path("content").path(0).path("text").asText())
        .isEqualTo("the front of a ship");
    assertThat(response.path("usage").path("input_tokens").asInt()).isEqualTo(20);
    assertThat(response.path("metadata")).hasToString("{\"a\":\"b\"}");
    JsonNode call = model.call();
    List<String> roles = new ArrayList<>();
    call.path("messages").forEach(one -> roles.add(one.path("role").asText()));
    assertThat(roles).containsExactly("system", "user", "assistant", "tool", "user");
    assertThat(call.path("max_tokens").asInt()).isEqualTo(50);
    assertThat(call.path("reasoning_effort").asText()).isEqualTo("high");
  }

  @Test
  void theEventsOfAResponseComeInOrder() {
    List<String> lines = lines(RESPONSES, "\"stream\": true, \"input\": \"What is a bow?\"");
    assertThat(
            lines.stream()
                .filter(line -> line.startsWith("event: "))
                .map(line -> line.substring(7)))
        .containsExactly(
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed");
    List<JsonNode> events =
        lines.stream()
            .filter(line -> line.startsWith("data: "))
            .map(line -> ApiClient.parse(line.substring(6)))
            .toList();
    for (int i = 0; i < events.size(); i++) {
      assertThat(events.get(i).path("sequence_number").asInt()).isEqualTo(i);
    }
    assertThat(events.getLast().at("/response/output/0/content/0/text").asText())
        .isEqualTo("the front of a ship");
  }

  @Test
  void whatAResponseWouldNeedMemoryForIsRefused() {
    for (String field : List.of("previous_response_id", "conversation", "prompt")) {
      Reply reply =
          client.post(
              RESPONSES,
              "{\"model\": \"scripted-1\", \"input\": \"a\", \"%s\": \"p\"}".formatted(field));
      assertThat(reply.is(400).json().path("error").path("param").asText()).isEqualTo(field);
    }
  }
}
