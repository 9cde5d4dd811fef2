package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.provider.ModelProbe.Finding;
import java.net.URI;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelProbeTest {

  private static final String[] CALLS = {"text", "stream", "json", "tools", "length"};

  private static final Duration LONG = Duration.ofSeconds(20);

  @Test
  void aGoodServerTellsItsModels() throws Exception {
    try (RecordingModelServer server = RecordingModelServer.start(r -> Reply.answer("x"))) {
      ModelProbe.Served served = ModelProbe.check(server.uri(), LONG, settings());
      assertThat(served.asked().id()).isEqualTo(RecordingModelServer.MODEL);
      assertThat(served.listed()).containsExactly(served.asked());
    }
  }

  @Test
  void ofSeveralTheFirstThatAnswersPromptsIsAsked() throws Exception {
    try (RecordingModelServer server = RecordingModelServer.start(r -> Reply.answer("x"))) {
      server.models(r -> listing("text-embedding-3-small", "chat-1", "chat-2"));
      assertThat(ModelProbe.check(server.uri(), LONG, settings()).asked().id()).isEqualTo("chat-1");
      assertThat(
              ModelProbe.check(server.uri(), LONG, settings("client.model = chat-2")).asked().id())
          .isEqualTo("chat-2");
      server.models(r -> listing("text-embedding-3-small", "bge-m3"));
      assertThatThrownBy(() -> ModelProbe.check(server.uri(), LONG, settings()))
          .hasMessageContaining("of which none answers prompts");
    }
  }

  private static Reply listing(String... names) {
    return Reply.status(
        200,
        Stream.of(names)
            .map("{\"id\": \"%s\"}"::formatted)
            .collect(Collectors.joining(", ", "{\"data\": [", "]}")));
  }

  @Test
  void aConfiguredModelMustBeServed() {
    try (RecordingModelServer server = RecordingModelServer.start(r -> Reply.answer("x"))) {
      assertThatThrownBy(
              () -> ModelProbe.check(server.uri(), LONG, settings("client.model = other")))
          .hasMessageContaining("not other");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bad")
  void aBadServerIsRefusedWithOneLine(String name, Reply reply, Kind kind) {
    try (RecordingModelServer server = RecordingModelServer.start(r -> Reply.answer("x"))) {
      server.models(r -> reply);
      Duration timeout = kind == Kind.TIMEOUT ? Duration.ofMillis(500) : LONG;
      InferenceException failure =
          catchThrowableOfType(
              InferenceException.class, () -> ModelProbe.check(server.uri(), timeout, settings()));
      assertThat(failure.kind()).isEqualTo(kind);
      assertThat(failure.getMessage()).contains(server.uri().toString()).doesNotContain("\n");
    }
  }

  static Stream<Arguments> bad() {
    return Stream.of(
        Arguments.of("500", Reply.status(500, "oh"), Kind.SERVER_ERROR),
        Arguments.of("hang", Reply.hang(), Kind.TIMEOUT),
        Arguments.of("nonsense", Reply.status(200, "hello"), Kind.BAD_REPLY),
        Arguments.of("no list", Reply.status(200, "{}"), Kind.BAD_REPLY),
        Arguments.of("404", Reply.status(404, ""), Kind.REFUSED));
  }

  @Test
  void noServerThere() {
    URI silent = URI.create("http://127.0.0.1:" + freePort());
    InferenceException failure =
        catchThrowableOfType(
            InferenceException.class, () -> ModelProbe.check(silent, LONG, settings()));
    assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", "ftp://host/", "http:///v1", "localhost:8000"})
  void whatIsNoHttpAddressIsRefused(String address) {
    assertThatThrownBy(() -> ModelProbe.check(URI.create(address), LONG, settings()))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("no http or https address");
  }

  @Test
  void serverThatTakesEachCallIsFoundSo() throws Exception {
    try (RecordingModelServer server =
        RecordingModelServer.start(request ->
            request.json().has("tools")
                ? called()
                : request.schema().isPresent()
                    ? Reply.answer("{\"ready\": true}")
                    : Reply.events(
                        "data: {\"choices\":[{\"delta\":{\"content\":\"red, \"}}]}",
                        "data: {\"choices\":[{\"delta\":{\"content\":\"blue\"},"
                            + "\"finish_reason\":\"stop\"}]}",
                        "data: [DONE]"))) {
      server.models(
          r -> Reply.status(200, "{\"data\": [{\"id\": \"m\", \"max_model_len\": 4096}]}"));
      ModelProbe.Examined found = ModelProbe.examine(server.uri(), LONG, settings());
      assertThat(found.contextTokens()).hasValue(4096);
      assertThat(found.findings()).extracting(Finding::call).containsExactly(CALLS);
      assertThat(found.findings()).allSatisfy(one -> assertThat(one.works()).isTrue());
    }
  }

  @Test
  void whatAgentsWouldLackIsSaid() throws Exception {
    try (RecordingModelServer server =
        RecordingModelServer.start(request ->
            request.messages("user").getLast().length() > 50_000
                ? Reply.status(
                    400,
                    "{\"error\": {\"message\": \"Requested tokens (20020) exceed context window of"
                        + " 2048\"}}")
                : Reply.answer("I am a parrot."))) {
      ModelProbe.Examined found = ModelProbe.examine(server.uri(), LONG, settings());
      assertThat(found.contextTokens()).hasValue(2048);
      assertThat(found.findings())
          .filteredOn(one -> !one.works())
          .extracting(Finding::call)
          .containsExactly("stream", "json", "tools");
      assertThat(found.findings().get(3).words()).contains("its template shows the model no tools");
    }
  }

  @Test
  void serverThatAnswersNothingIsRefused() {
    try (RecordingModelServer server =
        RecordingModelServer.start(request -> Reply.status(400, "no adapter"))) {
      assertThatThrownBy(() -> ModelProbe.examine(server.uri(), LONG, settings()))
          .isInstanceOf(InferenceException.class)
          .hasMessageContaining("no adapter");
    }
  }

  private static Reply called() {
    return Reply.status(
        200,
        """
        {"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [
          {"id": "1", "type": "function", "function": {
            "name": "list_files", "arguments": "{\\"directory\\": \\"src\\"}"}}]}}],
         "usage": {"prompt_tokens": 200, "completion_tokens": 9}}
        """);
  }

  private static ProviderSettings settings(String... lines) {
    return ProviderSettings.fromConfig(config(lines));
  }
}
