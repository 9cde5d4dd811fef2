package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIServiceException;
import com.openai.errors.RateLimitException;
import com.openai.errors.UnauthorizedException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.models.Model;
import com.openai.models.moderations.ModerationCreateParams;
import com.openai.models.responses.EasyInputMessage;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseStreamEvent;
import dev.colony.server.Principal.Role;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * OpenAI's client for Java as it comes, which holds every answer against its own types: {@code
 * com.openai:openai-java}.
 */
class OpenAiJavaTest {

  private static final String QUESTION = "What is a bow?";

  @TempDir private static Path folder;

  private static OpenAiRig rig;

  private final List<OpenAIClient> clients = new ArrayList<>();
  private ScriptedModel model;
  private OpenAIClient client;

  /** What a reply is to be. */
  public static class Term {
    public String term;
    public int letters;
  }

  /** A tool. */
  @JsonClassDescription("Looks a term up.")
  public static class Look {
    public String term;
  }

  @BeforeAll
  static void start() {
    rig = new OpenAiRig(ApiRig.keys(folder, List.of()));
  }

  @AfterAll
  static void end() {
    rig.close();
  }

  @BeforeEach
  void serve() {
    model = new ScriptedModel(OfficialClients.model());
    rig.serve(Optional.of(model));
    client = client(ApiRig.key(Role.OPERATOR), 0);
  }

  @AfterEach
  void unserve() {
    clients.forEach(OpenAIClient::close);
    rig.serve(Optional.empty());
    model.close();
  }

  private OpenAIClient client(String key, int retries) {
    OpenAIClient one =
        OpenAIOkHttpClient.builder()
            .baseUrl(rig.api().uri() + "/v1")
            .apiKey(key)
            .maxRetries(retries)
            .responseValidation(true)
            .build();
    clients.add(one);
    return one;
  }

  private static ChatCompletionCreateParams.Builder chat(String said) {
    return ChatCompletionCreateParams.builder()
        .model(ScriptedModel.NAME)
        .addDeveloperMessage("Be short.")
        .addUserMessage(said);
  }

  private static ResponseCreateParams.Builder responses(String said) {
    return ResponseCreateParams.builder()
        .model(ScriptedModel.NAME)
        .instructions("Be short.")
        .input(said);
  }

  private static String content(ChatCompletion reply) {
    return reply.choices().getFirst().message().content().orElse("");
  }

  private static String output(Response response) {
    return response.output().getFirst().asMessage().content().getFirst().asOutputText().text();
  }

  @Test
  void aCompletionWithPages() {
    ChatCompletion reply =
        client
            .chat()
            .completions()
            .create(
                chat(QUESTION)
                    .putAdditionalBodyProperty(
                        "colony", JsonValue.from(Map.of("pages", List.of(OpenAiRig.PAGE))))
                    .build());
    assertThat(content(reply)).isEqualTo(OfficialClients.ANSWER);
    assertThat(reply.model()).isEqualTo(ScriptedModel.NAME);
    assertThat(reply.choices().getFirst().finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.STOP);
    assertThat(reply.usage().orElseThrow().totalTokens()).isEqualTo(25);
    JsonNode asked = model.call();
    assertThat(asked.at("/messages/1/content").asText()).isEqualTo(OpenAiRig.PAGE_TEXT);
  }

  @Test
  void aResponse() {
    Response response = client.responses().create(responses(QUESTION).build());
    assertThat(output(response)).isEqualTo(OfficialClients.ANSWER);
    assertThat(response.usage().orElseThrow().inputTokens()).isEqualTo(20);
  }

  @Test
  void theModels() {
    client.chat().completions().create(chat(QUESTION).build());
    assertThat(client.models().list().data())
        .extracting(Model::id)
        .containsExactly(ScriptedModel.NAME);
    assertThat(client.models().retrieve(ScriptedModel.NAME).id()).isEqualTo(ScriptedModel.NAME);
  }

  @Test
  void aStream() {
    ChatCompletionAccumulator whole = ChatCompletionAccumulator.create();
    List<String> parts = new ArrayList<>();
    try (StreamResponse<ChatCompletionChunk> stream =
        client
            .chat()
            .completions()
            .createStreaming(
                chat(QUESTION)
                    .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
                    .build())) {
      stream.stream()
          .peek(whole::accumulate)
          .flatMap(chunk -> chunk.choices().stream())
          .forEach(choice -> choice.delta().content().ifPresent(parts::add));
    }
    // Parts that wait for each other come as one.
    assertThat(String.join("", parts)).contains("the front of a ship");
    assertThat(content(whole.chatCompletion())).isEqualTo(OfficialClients.ANSWER);
    assertThat(whole.chatCompletion().usage().orElseThrow().promptTokens()).isEqualTo(20);
  }

  @Test
  void aStreamedResponse() {
    ResponseAccumulator whole = ResponseAccumulator.create();
    List<String> parts = new ArrayList<>();
    try (StreamResponse<ResponseStreamEvent> stream =
        client.responses().createStreaming(responses(QUESTION).build())) {
      stream.stream()
          .peek(whole::accumulate)
          .forEach(event -> event.outputTextDelta().ifPresent(text -> parts.add(text.delta())));
    }
    assertThat(parts).containsExactly("the front", " of a ship");
    assertThat(output(whole.response())).isEqualTo(OfficialClients.ANSWER);
  }

  @Test
  void toolsOfACompletion() {
    ChatCompletionCreateParams.Builder params = chat(QUESTION).addTool(Look.class);
    ChatCompletion asks = client.chat().completions().create(params.build());
    ChatCompletion.Choice choice = asks.choices().getFirst();
    assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
    ChatCompletionMessageFunctionToolCall call =
        choice.message().toolCalls().orElseThrow().getFirst().asFunction();
    assertThat(call.function().arguments(Look.class).term).isEqualTo("bow");
    params
        .addMessage(choice.message())
        .addMessage(
            ChatCompletionToolMessageParam.builder()
                .toolCallId(call.id())
                .content("found it")
                .build());
    assertThat(content(client.chat().completions().create(params.build()))).isEqualTo("found it");
  }

  @Test
  void toolsOfAStream() {
    ChatCompletionAccumulator whole = ChatCompletionAccumulator.create();
    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(chat(QUESTION).addTool(Look.class).build())) {
      stream.stream().forEach(whole::accumulate);
    }
    ChatCompletionMessageFunctionToolCall call =
        whole
            .chatCompletion()
            .choices()
            .getFirst()
            .message()
            .toolCalls()
            .orElseThrow()
            .getFirst()
            .asFunction();
    assertThat(call.function().arguments(Look.class).term).isEqualTo("bow");
  }

  @Test
  void toolsOfAResponse() {
    Response asks = client.responses().create(responses(QUESTION).addTool(Look.class).build());
    ResponseFunctionToolCall call = asks.output().getFirst().asFunctionCall();
    assertThat(call.arguments(Look.class).term).isEqualTo("bow");
    List<ResponseInputItem> input =
        List.of(
            ResponseInputItem.ofEasyInputMessage(
                EasyInputMessage.builder()
                    .role(EasyInputMessage.Role.USER)
                    .content(QUESTION)
                    .build()),
            ResponseInputItem.ofFunctionCall(call),
            ResponseInputItem.ofFunctionCallOutput(
                ResponseInputItem.FunctionCallOutput.builder()
                    .callId(call.callId())
                    .output("found it")
                    .build()));
    Response told =
        client.responses().create(responses("").inputOfResponse(input).addTool(Look.class).build());
    assertThat(output(told)).isEqualTo("found it");
  }

  @Test
  void structuredOutput() {
    Term ofChat =
        client
            .chat()
            .completions()
            .create(chat(QUESTION).responseFormat(Term.class).build())
            .choices()
            .getFirst()
            .message()
            .content()
            .orElseThrow();
    assertThat(ofChat.letters).isEqualTo(3);
    Term ofResponse =
        client
            .responses()
            .create(responses(QUESTION).text(Term.class).build())
            .output()
            .getFirst()
            .message()
            .orElseThrow()
            .content()
            .getFirst()
            .asOutputText();
    assertThat(ofResponse.term).isEqualTo("bow");
  }

  @Test
  void errorsHaveTheirTypesAndCodes() {
    OpenAIClient stranger = client("key-of-none", 0);
    fails(stranger, chat(QUESTION), UnauthorizedException.class, "invalid_api_key");
    fails(client, chat(QUESTION).model("other"), NotFoundException.class, "model_not_found");
    assertThat(
            fails(
                    client,
                    chat(OfficialClients.BUSY),
                    RateLimitException.class,
                    "rate_limit_exceeded")
                .headers()
                .values("Retry-After"))
        .containsExactly("7");
    assertThatThrownBy(() ->
            client.chat().completions().createStreaming(chat(OfficialClients.BUSY).build()).stream()
                .forEach(chunk -> {}))
        .isInstanceOf(RateLimitException.class);
  }

  @Test
  void aPromptThatIsTooLongAndAPathThatIsNotServedHaveTheirs() {
    model.script((body, out) -> {
      ScriptedModel.whole(
          out,
          400,
          Map.of(),
          "{\"error\": {\"message\": \"This model's maximum context length is 8192 tokens. However,"
              + " your prompt contains at least 9001 input tokens\", \"code\": 400}}");
      return false;
    });
    OpenAIServiceException tooLong =
        fails(client, chat(QUESTION), BadRequestException.class, "context_length_exceeded");
    assertThat(tooLong.getMessage())
        .contains("This model's maximum context length is 8192 tokens.", "9001 tokens")
        .doesNotContain(model.uri().getAuthority());
    assertThatThrownBy(() ->
            client.moderations().create(ModerationCreateParams.builder().input("bow").build()))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("POST /v1/moderations");
  }

  @Test
  void aReplyThatIsCutWhereToolsGoByPromptIsItsText() {
    model.script((body, out) -> {
      if (body.has("tools")) {
        ScriptedModel.whole(
            out, 400, Map.of(), "{\"error\": {\"message\": \"the model does not support tools\"}}");
      } else {
        ScriptedModel.events(
            out,
            ScriptedModel.text("{\\\"reply\\\": {\\\"reply\\\": \\\"the fr"),
            ScriptedModel.delta("{}", "length"),
            "[DONE]");
      }
      return false;
    });
    ChatCompletion reply =
        client.chat().completions().create(chat(QUESTION).addTool(Look.class).build());
    assertThat(content(reply)).isEqualTo("the fr");
    assertThat(reply.choices().getFirst().finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.LENGTH);
  }

  private static OpenAIServiceException fails(
      OpenAIClient client,
      ChatCompletionCreateParams.Builder params,
      Class<? extends OpenAIServiceException> type,
      String code) {
    try {
      client.chat().completions().create(params.build());
      throw new AssertionError("no failure");
    } catch (OpenAIServiceException failure) {
      assertThat(failure).isInstanceOf(type);
      assertThat(failure.code()).contains(code);
      return failure;
    }
  }

  @Test
  void aCallThatFindsNoRoomIsRepeatedByTheClient() {
    ChatCompletion reply =
        client(ApiRig.key(Role.OPERATOR), 1)
            .chat()
            .completions()
            .create(chat(OfficialClients.BUSY_ONCE).build());
    assertThat(content(reply)).isEqualTo(OfficialClients.ANSWER);
    assertThat(model.calls).hasSize(2);
  }

  @Test
  void aStreamThatIsClosedEndsTheCallAtTheServer() throws Exception {
    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(chat(OfficialClients.ENDLESS).build())) {
      Iterator<ChatCompletionChunk> chunks = stream.stream().iterator();
      assertThat(chunks.next().choices().getFirst().delta().content()).contains("the front");
    }
    assertThat(model.closedByClient.await(30, TimeUnit.SECONDS)).isTrue();
  }
}
