package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.BadRequestException;
import com.openai.models.embeddings.CreateEmbeddingResponse;
import com.openai.models.embeddings.EmbeddingCreateParams;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** OpenAI's embeddings over a model server that embeds by script, and by OpenAI's own client. */
class OpenAiEmbeddingsTest extends OpenAiFixture {

  private static final String EMBEDDINGS = "/v1/embeddings";

  private static final String TWO =
      "{\"object\": \"list\", \"model\": \"scripted-1\", \"data\": ["
          + "{\"object\": \"embedding\", \"index\": 0, \"embedding\": [0.5, -1.25]},"
          + "{\"object\": \"embedding\", \"index\": 1, \"embedding\": \"AAAAPwAAoL8=\"}],"
          + "\"usage\": {\"prompt_tokens\": 7, \"total_tokens\": 7}}";

  private void embeds(int status, String body) {
    model.script((asked, out) -> {
      ScriptedModel.whole(out, status, Map.of(), body);
      return false;
    });
  }

  @Test
  void openAisClientHasTheNumbersWhicheverFormTheServerGives() {
    embeds(200, TWO);
    OpenAIClient openai =
        OpenAIOkHttpClient.builder()
            .baseUrl(rig.api().uri() + "/v1")
            .apiKey("none")
            .maxRetries(0)
            .build();
    try {
      CreateEmbeddingResponse reply =
          openai
              .embeddings()
              .create(
                  EmbeddingCreateParams.builder()
                      .model("scripted-1")
                      .inputOfArrayOfStrings(List.of("bow", "stern"))
                      .dimensions(2)
                      .user("u")
                      .build());
      assertThat(reply.data()).hasSize(2);
      assertThat(reply.data())
          .allSatisfy(one -> assertThat(one.embedding()).containsExactly(0.5f, -1.25f));
      assertThat(reply.data().get(1).index()).isEqualTo(1);
      assertThat(reply.model()).isEqualTo("scripted-1");
      assertThat(reply.usage().promptTokens()).isEqualTo(7);
      assertThat(reply.usage().totalTokens()).isEqualTo(7);
      assertThat(model.call())
          .isEqualTo(
              ApiClient.parse(
                  "{\"model\":\"scripted-1\",\"input\":[\"bow\",\"stern\"],\"dimensions\":2,"
                      + "\"user\":\"u\"}"));
      assertThat(model.head).startsWith("POST /v1/embeddings ");
      assertThatThrownBy(() ->
              openai
                  .embeddings()
                  .create(
                      EmbeddingCreateParams.builder()
                          .model("scripted-1")
                          .inputOfArrayOfStrings(List.of("bow", ""))
                          .build()))
          .isInstanceOf(BadRequestException.class)
          .hasMessageContaining("none of them empty");
    } finally {
      openai.close();
    }
  }

  @Test
  void bytesAreThoseOfTheNumbersAndTokensGoToTheServerAsTheyAre() {
    embeds(200, TWO);
    JsonNode reply =
        client
            .post(
                EMBEDDINGS,
                "{\"model\": \"scripted-1\", \"input\": [[1, 2], [3]], \"encoding_format\":"
                    + " \"base64\", \"truncate_prompt_tokens\": 9}")
            .is(200)
            .json();
    assertThat(reply.path("data"))
        .allSatisfy(one -> assertThat(one.path("embedding").asText()).isEqualTo("AAAAPwAAoL8="));
    assertThat(model.call())
        .isEqualTo(
            ApiClient.parse(
                "{\"model\":\"scripted-1\",\"truncate_prompt_tokens\":9,\"input\":[[1,2],[3]]}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"model": "scripted-1"}                                          | input
          {"input": "bow"}                                                 | model
          {"model": "scripted-1", "input": []}                             | input
          {"model": "scripted-1", "input": ""}                             | input
          {"model": "scripted-1", "input": [["bow"]]}                      | input
          {"model": "scripted-1", "input": ["bow", 1]}                     | input
          {"model": "scripted-1", "input": [-1]}                           | input
          {"model": "scripted-1", "input": "a", "encoding_format": "hex"}  | encoding_format
          {"model": "scripted-1", "input": "a", "dimensions": 0}           | dimensions
          {"model": "scripted-1", "input": "a", "user": 1}                 | user
          {"model": "agent:a/b/c", "input": "a"}                           | model
          """)
  void whatIsWrongIsNamed(String body, String param) {
    assertThat(error(400, body, "param")).isEqualTo(param);
    assertThat(error(400, body, "type")).isEqualTo("invalid_request_error");
    assertThat(model.calls).isEmpty();
  }

  @Test
  void moreThanOpenAiTakesAreRefused() {
    String many = "\"a\",".repeat(2048) + "\"a\"";
    assertThat(error(400, "{\"model\": \"scripted-1\", \"input\": [" + many + "]}", "message"))
        .isEqualTo("input has 2049 texts, and may have 2048");
  }

  @Test
  void whatServersDoWrongIsToldInOpenAisForm() {
    String ask = "{\"model\": \"scripted-1\", \"input\": \"bow\"}";
    embeds(501, "{\"error\": {\"message\": \"start it with --embeddings\"}}");
    assertThat(error(400, ask, "message")).isEqualTo("the model server embeds no texts");
    embeds(200, TWO);
    assertThat(error(502, ask, "code")).isEqualTo("bad_reply");
    String two = ask.replace("\"bow\"", "[\"a\", \"b\"]");
    for (String wrong : List.of("7", "[]", "[[0.5, -1.25]]", "\"no base64!\"")) {
      embeds(200, TWO.replace("[0.5, -1.25]", wrong));
      assertThat(error(502, two, "code")).as(wrong).isEqualTo("bad_reply");
    }
  }

  private String error(int status, String body, String field) {
    return client.post(EMBEDDINGS, body).is(status).json().path("error").path(field).asText();
  }
}
