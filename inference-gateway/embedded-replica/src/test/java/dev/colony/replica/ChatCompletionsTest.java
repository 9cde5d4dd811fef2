package dev.colony.replica;

import static dev.colony.replica.HttpDriver.json;
import static dev.colony.replica.Prompts.page;
import static dev.colony.replica.Prompts.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpResponse;
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
    replica = Replicas.start("r1", "context-tokens = 8192", "max-request-bytes = 100000");
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
  void aStreamCarriesTheSameTextInPieces() throws Exception {
    ObjectNode body = prompt("Question: where is delta3?", page("delta", 9));
    String whole = json(http.chat(body.toString())).at("/choices/0/message/content").asText();
    body.put("stream", true).putObject("stream_options").put("include_usage", true);

    HttpResponse<String> response = http.chat(body.toString());

    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    List<String> events =
        response.body().lines().filter(line -> !line.isEmpty()).map(l -> l.substring(6)).toList();
    assertThat(events.getLast()).isEqualTo("[DONE]");
    StringBuilder text = new StringBuilder();
    for (String event : events.subList(0, events.size() - 1)) {
      text.append(HttpDriver.JSON.readTree(event).at("/choices/0/delta/content").asText(""));
    }
    assertThat(text).hasToString(whole);
    JsonNode finish = HttpDriver.JSON.readTree(events.get(events.size() - 3));
    assertThat(finish.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    JsonNode usage = HttpDriver.JSON.readTree(events.get(events.size() - 2));
    assertThat(usage.at("/usage/completion_tokens").asInt()).isPositive();
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
            + " context",
        "{'model': 'M', 'messages': [{'role': 'user', 'content': ''}], 'response_format': {}} |"
            + " type"
      })
  void badRequestsAreRefusedWithAnErrorObject(String body, String message) {
    String json = body.replace('\'', '"').replace("\"M\"", "\"" + EmbeddedReplica.MODEL + "\"");

    HttpResponse<String> response = http.chat(json);

    assertThat(response.statusCode()).isEqualTo(400);
    JsonNode error = json(response).path("error");
    assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    assertThat(error.path("message").asText()).contains(message);
    assertThat(error.has("param")).isTrue();
    assertThat(error.has("code")).isTrue();
  }

  @Test
  void anUnknownModelIsNotFound() {
    ObjectNode body = prompt("Question: x?").put("model", "gpt-99");
    HttpResponse<String> response = http.chat(body.toString());
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(json(response).at("/error/code").asText()).isEqualTo("model_not_found");
  }

  @Test
  void aPromptBeyondTheContextIsRefused() {
    HttpResponse<String> response =
        http.chat(prompt("Question: x?", "word ".repeat(9000)).toString());
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(json(response).at("/error/code").asText()).isEqualTo("context_length_exceeded");
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
  void theCallersRequestIdComesBack() {
    HttpResponse<String> response =
        http.chat(prompt("Question: x?").toString(), "X-Request-Id", "call-7");
    assertThat(response.headers().firstValue("X-Request-Id")).hasValue("call-7");
  }

  private static double sample(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf("} ") + 2)))
        .findFirst()
        .orElseThrow();
  }

  private static int cached(HttpResponse<String> response) {
    return json(response).at("/usage/prompt_tokens_details/cached_tokens").asInt();
  }
}
