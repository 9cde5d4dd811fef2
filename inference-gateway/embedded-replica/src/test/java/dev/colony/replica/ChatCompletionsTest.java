package dev.colony.replica;

import static dev.colony.replica.HttpDriver.json;
import static dev.colony.replica.HttpDriver.sample;
import static dev.colony.replica.Prompts.page;
import static dev.colony.replica.Prompts.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChatCompletionsTest {

  private static EmbeddedReplica replica;
  private static HttpDriver http;

  @BeforeAll
  static void start() {
    replica =
        Replicas.start(Replicas.reading(100_000, Duration.ofSeconds(30)), "context-tokens = 8192");
    http = new HttpDriver(replica.uri());
  }

  @AfterAll
  static void stop() {
    http.close();
    replica.close();
  }

  @Test
  void aCompletionHasTheShapeOfTheOpenAiApi() {
    HttpResponse<String> response =
        http.chat(prompt("Question: where is alpha3?", page("alpha", 9)).toString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
    JsonNode root = json(response);
    assertThat(root.path("object").asText()).isEqualTo("chat.completion");
    assertThat(root.path("id").asText()).startsWith("chatcmpl-");
    assertThat(root.path("model").asText()).isEqualTo("colony-lexical-1");
    assertThat(root.path("choices")).hasSize(1);
    assertThat(root.at("/choices/0/message/role").asText()).isEqualTo("assistant");
    assertThat(root.at("/choices/0/message/content").asText()).contains("alpha3");
    assertThat(root.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    JsonNode usage = root.path("usage");
    assertThat(usage.path("prompt_tokens").asInt()).isPositive();
    assertThat(usage.path("completion_tokens").asInt()).isPositive();
    assertThat(usage.path("total_tokens").asInt())
        .isEqualTo(usage.path("prompt_tokens").asInt() + usage.path("completion_tokens").asInt());
    assertThat(usage.at("/prompt_tokens_details/cached_tokens").isInt()).isTrue();
  }

  @Test
  void theSamePagesAreCachedTheSecondTimeAndADifferentPreambleHidesThem() {
    ObjectNode first = prompt("Question: one?", page("beta", 40));
    ObjectNode second = prompt("Question: something else?", page("beta", 40));
    ObjectNode moved = prompt("Question: one?", page("other", 1), page("beta", 40));

    assertThat(cached(http.chat(first.toString()))).isLessThan(32);
    JsonNode again = json(http.chat(second.toString()));
    int cached = again.at("/usage/prompt_tokens_details/cached_tokens").asInt();
    assertThat(cached % 16).isZero();
    assertThat(cached).isBetween(200, again.at("/usage/prompt_tokens").asInt() - 1);
    assertThat(cached(http.chat(moved.toString()))).isLessThan(32);
  }

  @Test
  void aWholePromptSeenBeforeStillComputesItsLastToken() {
    // One of sixteen lengths fills its last block exactly.
    for (int words = 0; words < 16; words++) {
      String question = "Question: what is gamma1" + " a".repeat(words);
      String body = prompt(question, page("gamma", 30)).toString();
      http.chat(body);
      JsonNode usage = json(http.chat(body)).path("usage");
      assertThat(usage.at("/prompt_tokens_details/cached_tokens").asInt())
          .isLessThan(usage.path("prompt_tokens").asInt());
    }
  }

  @Test
  void aStreamCarriesTheSameTextInPieces() {
    ObjectNode body = prompt("Question: where is delta3?", page("delta", 9));
    JsonNode whole = json(http.chat(body.toString()));
    body.putObject("stream_options").put("include_usage", true);

    List<JsonNode> events = http.stream(body);

    assertThat(events)
        .allSatisfy(event -> {
          assertThat(event.path("object").asText()).isEqualTo("chat.completion.chunk");
          assertThat(event.path("id")).isEqualTo(events.getFirst().path("id"));
        });
    assertThat(events.getFirst().at("/choices/0/delta").toString())
        .isEqualTo("{\"role\":\"assistant\",\"content\":\"\"}");
    List<JsonNode> pieces = events.subList(1, events.size() - 2);
    assertThat(pieces).hasSizeGreaterThan(1);
    assertThat(pieces)
        .allSatisfy(piece -> {
          assertThat(piece.at("/choices/0/finish_reason").isNull()).isTrue();
          assertThat(piece.at("/choices/0/delta").has("content")).isTrue();
          assertThat(piece.at("/choices/0/delta")).hasSize(1);
        });
    assertThat(
            String.join(
                "", pieces.stream().map(p -> p.at("/choices/0/delta/content").asText()).toList()))
        .isEqualTo(whole.at("/choices/0/message/content").asText());
    JsonNode finish = events.get(events.size() - 2);
    assertThat(finish.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    JsonNode usage = events.getLast();
    assertThat(usage.path("choices")).isEmpty();
    assertThat(usage.at("/usage/completion_tokens"))
        .isEqualTo(whole.at("/usage/completion_tokens"));
  }

  @Test
  void aStreamWithoutTheOptionTellsNoUsage() {
    List<JsonNode> events = http.stream(prompt("Question: where is eta3?", page("eta", 9)));
    assertThat(events).noneMatch(event -> event.has("usage"));
    assertThat(events.getLast().at("/choices/0/finish_reason").asText()).isEqualTo("stop");
  }

  @Test
  void aReplyEndsBeforeAStopText() {
    ObjectNode body = prompt("Question: which gate?", "The gate is green and wide and open.");
    body.putArray("stop").add("nowhere").add(" and wide");
    JsonNode root = json(http.chat(body.toString()));
    assertThat(root.at("/choices/0/message/content").asText()).isEqualTo("The gate is green");
    assertThat(root.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(root.at("/choices/0/stop_reason").asText()).isEqualTo(" and wide");
  }

  @Test
  void theNewerNameOfTheTokenLimitIsHonouredFirst() {
    ObjectNode body = prompt("Question: where is theta3?", page("theta", 9));
    body.put("max_tokens", 3).put("max_completion_tokens", 2).put("seed", 7);
    assertThat(json(http.chat(body.toString())).at("/usage/completion_tokens").asInt())
        .isEqualTo(2);
  }

  @Test
  void theSchemasOfVllmsOwnFieldsAreHonoured() {
    String schema =
        """
        {"type": "object", "properties": {"choice": {"enum": ["gamma", "beta"]}}}
        """;
    for (String fields :
        List.of(
            "{'guided_json': %s}".formatted(schema),
            "{'structured_outputs': {'json': %s}}".formatted(schema))) {
      ObjectNode body = prompt("Question: alpha or beta?", "beta is the one to take");
      body.setAll((ObjectNode) HttpDriver.parsed(fields.replace('\'', '"')));
      String content = json(http.chat(body.toString())).at("/choices/0/message/content").asText();
      assertThat(HttpDriver.parsed(content).path("choice").asText()).isEqualTo("beta");
    }
    ObjectNode body = prompt("Question: alpha or beta?", "beta is the one to take");
    body.putObject("structured_outputs").putArray("choice").add("gamma").add("beta");
    assertThat(json(http.chat(body.toString())).at("/choices/0/message/content").asText())
        .isEqualTo("beta");
  }

  @Test
  void aTurnFindsTheBlocksOfThePromptAndOfTheReplyBeforeIt() {
    ObjectNode body = prompt("Question: where is iota3?", page("iota", 40));
    body.put("max_tokens", 400);
    JsonNode first = json(http.chat(body.toString()));
    String said = first.at("/choices/0/message/content").asText();
    ((ArrayNode) body.get("messages")).addObject().put("role", "assistant").put("content", said);
    ((ArrayNode) body.get("messages")).addObject().put("role", "user").put("content", "And now?");

    int cached = cached(http.chat(body.toString()));

    int before =
        first.at("/usage/prompt_tokens").asInt() + first.at("/usage/completion_tokens").asInt();
    // The last token of a reply is never computed.
    assertThat(cached).isEqualTo((before - 1) / 16 * 16);
  }

  @Test
  void promptsOfDifferentSaltsShareNoBlocks() {
    ObjectNode body = prompt("Question: one?", page("kappa", 40)).put("cache_salt", "acme");
    http.chat(body.toString());
    assertThat(cached(http.chat(body.toString()))).isPositive();
    assertThat(cached(http.chat(body.put("cache_salt", "other").toString()))).isZero();
    body.remove("cache_salt");
    assertThat(cached(http.chat(body.toString()))).isLessThan(32);
  }

  @Test
  void aResetEmptiesTheCache() {
    String body = prompt("Question: one?", page("lambda", 40)).toString();
    http.chat(body);
    assertThat(http.post("/reset_prefix_cache", "").statusCode()).isEqualTo(200);
    assertThat(cached(http.chat(body))).isZero();
  }

  @Test
  void aReplyIsCutAtItsTokenLimit() {
    ObjectNode body = prompt("Question: where is epsilon3?", page("epsilon", 9));
    body.put("max_tokens", 3);
    JsonNode root = json(http.chat(body.toString()));
    assertThat(root.at("/choices/0/finish_reason").asText()).isEqualTo("length");
    assertThat(root.at("/usage/completion_tokens").asInt()).isEqualTo(3);
  }

  @Test
  void aSchemaIsHonoured() throws Exception {
    ObjectNode body = prompt("Question: alpha or beta?", "beta is the one to take");
    body.set(
        "response_format",
        HttpDriver.JSON.readTree(
            """
            {"type": "json_schema", "json_schema": {"name": "reply", "schema":
              {"type": "object", "properties": {"choice": {"enum": ["gamma", "beta"]}},
               "required": ["choice"]}}}
            """));
    String content = json(http.chat(body.toString())).at("/choices/0/message/content").asText();
    assertThat(HttpDriver.JSON.readTree(content).path("choice").asText()).isEqualTo("beta");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "not JSON                            | not JSON",
        "[]                                  | not a JSON object",
        "{}                                  | model must be",
        "{'model': 7}                        | model must be",
        "{'model': 'M'}                      | messages must be",
        "{'model': 'M', 'messages': []}      | messages must be",
        "{'model': 'M', 'messages': [{}]}    | messages[0].role",
        "{'model': 'M', 'messages': [{'role': 'king', 'content': ''}]} | messages[0].role",
        "{'model': 'M', 'messages': [{'role': 'user'}]} | messages[0].content",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': [{'type': 'image'}]}]} | not text",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'max_tokens': 0} | max_tok",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'max_tokens': 'x'} |"
            + " max_tok",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'stream': 1} | stream must",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'n': 2} | n = 1",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'max_tokens': 9000} |"
            + " is too large: 9000. This model's maximum context length is 8192 tokens and your",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'cache_salt': ''} |"
            + " cache_salt",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'temperature': -1} |"
            + " temperature",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'stop': ['']} | stop",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'tools': [{}]} | tools[0]",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'tool_choice': 'auto'} |"
            + " `tools` must be set",
        "{'model': 'M', 'messages': [{'role': 'assistant', 'tool_calls': [{'function':"
            + " {'name': 'f', 'arguments': 'x'}}]}]} | arguments must be a JSON object",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'response_format': {}} |"
            + " type"
      })
  void badRequestsAreRefusedWithAnErrorObject(String body, String message) {
    String json = body.replace('\'', '"').replace("\"M\"", "\"" + EmbeddedReplica.MODEL + "\"");

    HttpResponse<String> response = http.chat(json);

    assertThat(response.statusCode()).isEqualTo(400);
    JsonNode error = json(response).path("error");
    assertThat(error.path("type").asText()).isEqualTo("BadRequestError");
    assertThat(error.path("message").asText()).contains(message);
    assertThat(error.has("param")).isTrue();
    assertThat(error.path("code").asInt()).isEqualTo(400);
  }

  @Test
  void anUnknownModelIsNotFound() {
    ObjectNode body = prompt("Question: x?").put("model", "gpt-99");
    HttpResponse<String> response = http.chat(body.toString());
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(json(response).at("/error/message").asText())
        .isEqualTo("The model `gpt-99` does not exist.");
  }

  @Test
  void aPromptBeyondTheContextIsRefused() {
    HttpResponse<String> response =
        http.chat(prompt("Question: x?", "word ".repeat(9000)).toString());
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(json(response).at("/error/message").asText())
        .matches(
            "This model's maximum context length is 8192 tokens\\. However, your request has 9\\d+"
                + " input tokens\\. Please reduce the length of the input messages\\.");
  }

  @Test
  void aBodyBeyondTheBoundIsRefused() {
    HttpResponse<String> response =
        http.chat(prompt("Question: x?", "x".repeat(150_000)).toString());
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(json(response).at("/error/message").asText()).contains("100000 bytes");
  }

  @Test
  void morePagesThanMessagesAreRefused() {
    HttpResponse<String> response =
        http.chat(prompt("Question: x?").toString(), "X-Colony-Pages", "a,b,c");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(json(response).at("/error/param").asText()).isEqualTo("X-Colony-Pages");
  }

  @Test
  void theOtherPathsAnswerAsTheirNamesSay() {
    assertThat(http.get("/health").statusCode()).isEqualTo(200);
    assertThat(json(http.get("/v1/models")).at("/data/0/id").asText())
        .isEqualTo("colony-lexical-1");
    assertThat(json(http.get("/v1/models")).at("/data/0/max_model_len").asInt()).isEqualTo(8192);
    assertThat(json(http.get("/v1/models")).at("/data/0/owned_by").asText()).isEqualTo("vllm");
    assertThat(http.get("/v1/nothing").statusCode()).isEqualTo(404);
    HttpResponse<String> wrong = http.get("/v1/chat/completions");
    assertThat(wrong.statusCode()).isEqualTo(405);
    assertThat(wrong.headers().firstValue("Allow")).hasValue("POST");
  }

  @Test
  void metricsHaveTheNamesOfVllm() {
    String body = prompt("Question: zeta?", page("zeta", 30)).toString();
    http.chat(body);
    http.chat(body);

    String metrics = http.get("/metrics").body();

    assertThat(sample(metrics, "vllm:num_requests_running")).isZero();
    assertThat(sample(metrics, "vllm:num_requests_waiting")).isZero();
    assertThat(sample(metrics, "vllm:kv_cache_usage_perc")).isZero();
    double queries = sample(metrics, "vllm:prefix_cache_queries_total");
    assertThat(sample(metrics, "vllm:prefix_cache_hits_total")).isPositive().isLessThan(queries);
    assertThat(sample(metrics, "vllm:prompt_tokens_total")).isPositive();
    assertThat(sample(metrics, "vllm:generation_tokens_total")).isPositive();
  }

  @Test
  void aCallIsCountedAndTimedFromItsArrivalToItsEnd() {
    ObjectNode body = prompt("Question: where is mu3?", page("mu", 30));
    String before = http.get("/metrics").body();
    JsonNode usage = json(http.chat(body.toString())).path("usage");
    String after = http.get("/metrics").body();

    int generated = usage.path("completion_tokens").asInt();
    assertThat(more(before, after, "vllm:generation_tokens_total")).isEqualTo(generated);
    assertThat(more(before, after, "vllm:prompt_tokens_total"))
        .isEqualTo(usage.path("prompt_tokens").asInt());
    assertThat(more(before, after, "vllm:inter_token_latency_seconds_count"))
        .isEqualTo(generated - 1);
    for (String once :
        List.of(
            "request_success_total",
            "time_to_first_token_seconds_count",
            "request_time_per_output_token_seconds_count",
            "e2e_request_latency_seconds_count",
            "request_queue_time_seconds_count",
            "request_prefill_time_seconds_count",
            "request_decode_time_seconds_count",
            "request_inference_time_seconds_count",
            "request_prompt_tokens_count",
            "request_generation_tokens_count")) {
      assertThat(more(before, after, "vllm:" + once)).as(once).isEqualTo(1);
    }
    assertThat(more(before, after, "vllm:iteration_tokens_total_count")).isEqualTo(generated);
    assertThat(more(before, after, "vllm:num_preemptions_total")).isZero();
  }

  private static double more(String before, String after, String name) {
    return sample(after, name) - sample(before, name);
  }

  @Test
  void theCallersRequestIdComesBack() {
    HttpResponse<String> response =
        http.chat(prompt("Question: x?").toString(), "X-Request-Id", "call-7");
    assertThat(response.headers().firstValue("X-Request-Id")).hasValue("call-7");
  }

  private static int cached(HttpResponse<String> response) {
    return json(response).at("/usage/prompt_tokens_details/cached_tokens").asInt();
  }
}
