package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceException.PromptLength;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.Attempt.Failed;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What servers say of a prompt that is too long, in the words of their sources and of reports about
 * them, and what they say in nearly the same words of something else. The tables stand beside this
 * class among the resources, one refusal a line.
 */
class LengthRefusalsTest {

  private static final int REPLY = 50;

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  /**
   * A refusal.
   *
   * @param limit that it names; 0 for none
   * @param prompt tokens that it names; 0 for none
   */
  private record Row(String server, int status, long limit, long prompt, String body) {

    @Override
    public String toString() {
      return server;
    }
  }

  static Stream<Row> tooLong() throws IOException {
    return rows("too-long.txt", 5)
        .map(of ->
            new Row(
                of[0],
                Integer.parseInt(of[1]),
                Long.parseLong(of[2]),
                Long.parseLong(of[3]),
                of[4]));
  }

  /** The rows of a table, whose columns are named in its first line. */
  private static Stream<String[]> rows(String table, int columns) throws IOException {
    try (InputStream in = LengthRefusalsTest.class.getResourceAsStream(table)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(1).map(line -> line.split(" \\| ", columns));
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tooLong")
  void aPromptThatIsTooLongIsKnownWithBothNumbers(Row row) throws Exception {
    server.chat(request -> Reply.status(row.status(), row.body()));
    InferenceException failure = failure();
    assertThat(failure.kind()).isEqualTo(Kind.TOO_LONG);
    assertThat(failure.retryable()).isFalse();
    assertThat(failure.promptLength())
        .contains(new PromptLength(number(row.limit()), number(row.prompt())));
    assertThat(server.chats()).as("it is not asked again").hasSize(1);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tooLong")
  void itIsTheSameInTheBodyOfA200AndInAStream(Row row) throws Exception {
    if (!row.body().contains("\"error\"")) {
      return;
    }
    String one = row.body().startsWith("[") ? row.body().replaceAll("^\\[|]$", "") : row.body();
    for (Reply reply : List.of(Reply.status(200, row.body()), Reply.events("data: " + one))) {
      server.chat(request -> reply);
      InferenceException failure = failure();
      assertThat(failure.kind()).isEqualTo(row.status() == 413 ? failure.kind() : Kind.TOO_LONG);
      assertThat(failure.promptLength().flatMap(said -> boxed(said.limitTokens())))
          .isEqualTo(boxed(number(row.limit())));
    }
  }

  /** What is no such refusal, with the kind that it is. */
  private record Other(String name, int status, Kind kind, String body) {

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Other> others() throws IOException {
    return rows("not-too-long.txt", 4)
        .map(of -> new Other(of[0], Integer.parseInt(of[1]), Kind.valueOf(of[2]), of[3]));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("others")
  void whatIsSaidInNearlyTheSameWordsIsNot(Other other) throws Exception {
    server.chat(request -> Reply.status(other.status(), other.body()));
    InferenceException failure = failure();
    assertThat(failure.kind()).isEqualTo(other.kind());
    assertThat(failure.promptLength()).isEmpty();
  }

  /** The prompt fits, and the reply's bound is what is too much. */
  private record Bound(String name, int sent, int asked, String message) {

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Bound> bounds() throws IOException {
    return rows("reply-bounds.txt", 4)
        .map(of -> new Bound(of[0], Integer.parseInt(of[1]), Integer.parseInt(of[2]), of[3]));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bounds")
  void whereTheReplysBoundIsTooMuchItIsLowered(Bound bound) throws Exception {
    server.chat(request ->
        room(request) > bound.asked()
            ? ScriptedServers.error(400, bound.message(), "", "")
            : Reply.answer("fine"));
    assertThat(ask(bound.sent())).isInstanceOf(Answered.class);
    assertThat(server.chats())
        .extracting(LengthRefusalsTest::room)
        .containsExactly(bound.sent(), bound.asked());
  }

  /** It counts no further than to the first token that is too much. */
  @Test
  void aServerThatStopsCountingIsNotAskedForOneTokenLessEachTime() throws Exception {
    int prompt = 8100;
    server.chat(request -> {
      int room = room(request);
      return prompt + room > 8192
          ? ScriptedServers.error(
              400,
              "This model's maximum context length is 8192 tokens. However, you requested %d output"
                      .formatted(room)
                  + " tokens and your prompt contains at least %d input tokens, for a total of at"
                      .formatted(8192 - room + 1)
                  + " least 8193 tokens.",
              "input_tokens",
              "400")
          : Reply.answer("fine");
    });
    assertThat(ask(4096)).isInstanceOf(Answered.class);
    assertThat(server.chats()).hasSizeLessThan(6);
  }

  /** As llama-cpp-python does: the head of a stream is sent before the prompt is counted. */
  @Test
  void aStreamThatEndsWithoutAWordIsAskedForAsAWhole() throws Exception {
    server.chat(request ->
        request.json().path("stream").asBoolean()
            ? Reply.events()
            : server.chats().size() == 2
                ? Reply.raw("")
                : ScriptedServers.error(
                    400,
                    "This model's maximum context length is 512 tokens. However, you requested 1265"
                        + " tokens (1215 in the messages, 50 in the completion). Please reduce the"
                        + " length of the messages or completion.",
                    "messages",
                    "context_length_exceeded"));
    InferenceException failure = failure();
    assertThat(failure.kind()).isEqualTo(Kind.TOO_LONG);
    assertThat(failure.promptLength())
        .contains(new PromptLength(OptionalLong.of(512), OptionalLong.of(1215)));
    assertThat(server.chats()).as("a connection is lost between").hasSize(3);
  }

  @Test
  void aPromptThatIsRefusedBeforeItIsSentHasBothNumbersToo() throws Exception {
    server.models(
        request -> Reply.status(200, "{\"data\":[{\"id\":\"small\",\"max_model_len\":4}]}"));
    InferenceException failure = failure();
    assertThat(failure.promptLength())
        .contains(new PromptLength(OptionalLong.of(4), OptionalLong.of(9)));
    assertThat(server.chats()).isEmpty();
  }

  private static OptionalLong number(long value) {
    return value == 0 ? OptionalLong.empty() : OptionalLong.of(value);
  }

  private static Optional<Long> boxed(OptionalLong value) {
    return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
  }

  private static int room(Recorded request) {
    return request.json().path("max_tokens").asInt();
  }

  private InferenceException failure() throws InterruptedException {
    return ((Failed) ask(REPLY)).failure();
  }

  private Attempt ask(int replyTokens) throws InterruptedException {
    ModelServer client =
        new ModelServer(
            server.uri(),
            ProviderSettings.fromConfig(config("client.max-reply-tokens = 200000")),
            http);
    return client.complete(
        request("c").reply(ReplyForm.text(replyTokens)),
        "r",
        Duration.ofSeconds(20),
        part -> {},
        new UsageTally());
  }
}
