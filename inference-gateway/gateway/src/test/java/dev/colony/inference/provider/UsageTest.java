package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a reply of 1,000 characters costs, by what the server says of it, and when. */
class UsageTest {

  private static final String TEXT = "ship ".repeat(200);

  /** Of the prompt of {@code request("c")}. */
  private static final long PROMPT = 9;

  /** Of the text. */
  private static final long ESTIMATE = 250;

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

  private record Row(String name, String dialect, Reply reply, Usage costs) {

    @Override
    public String toString() {
      return dialect + ": " + name;
    }
  }

  private static Row whole(String name, String usage, Usage costs) {
    return new Row(
        name + ", whole",
        "default",
        Reply.status(
            200,
            "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":\"%s\"}}]%s}"
                .formatted(TEXT, usage.isEmpty() ? "" : ",\"usage\":" + usage)),
        costs);
  }

  /** The usage with the first part, with the last part of the text, and with the end. */
  private static Row chat(String name, String first, String last, String end, Usage costs) {
    List<String> events = new ArrayList<>();
    events.add(chunk("{\"role\":\"assistant\",\"content\":\"\"}", null, first));
    events.add(chunk("{\"content\":\"" + TEXT.substring(0, 500) + "\"}", null, ""));
    events.add(chunk("{\"content\":\"" + TEXT.substring(500) + "\"}", null, last));
    events.add(chunk("{}", "stop", ""));
    events.add("data: {\"choices\":[]%s}".formatted(end.isEmpty() ? "" : ",\"usage\":" + end));
    events.add("data: [DONE]");
    return new Row(name, "default", Reply.events(events.toArray(String[]::new)), costs);
  }

  private static String chunk(String delta, String finish, String usage) {
    return "data: {\"choices\":[{\"delta\":%s,\"finish_reason\":%s}]%s}"
        .formatted(
            delta,
            finish == null ? "null" : "\"" + finish + "\"",
            usage.isEmpty() ? "" : ",\"usage\":" + usage);
  }

  private static String usage(long prompt, long completion) {
    return "{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d}"
        .formatted(prompt, completion, prompt + completion);
  }

  private static Row responses(String name, String usage, Usage costs) {
    return new Row(
        name,
        "openai-responses",
        Reply.events(
            "data: {\"type\":\"response.created\",\"response\":{\"usage\":null}}",
            "data: {\"type\":\"response.output_text.delta\",\"delta\":\"" + TEXT + "\"}",
            ("data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\","
                    + "\"usage\":%s}}")
                .formatted(usage)),
        costs);
  }

  private static Row anthropic(String name, String start, String end, Usage costs) {
    return new Row(
        name,
        "anthropic",
        Reply.events(
            "data: {\"type\":\"message_start\",\"message\":{\"usage\":%s}}".formatted(start),
            ("data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\","
                    + "\"text\":\"%s\"}}")
                .formatted(TEXT),
            ("data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
                    + "\"usage\":%s}")
                .formatted(end)),
        costs);
  }

  static Stream<Row> rows() {
    Usage estimated = new Usage(PROMPT, 0, ESTIMATE);
    return Stream.concat(
        Stream.of(
            whole("counts", usage(20, 200), new Usage(20, 0, 200)),
            whole("none", "", estimated),
            whole("null", "null", estimated),
            whole("zeros", usage(0, 0), estimated),
            whole("negative numbers", usage(-1, -5), estimated),
            whole("one number is negative", usage(-1, 200), estimated),
            whole("the reply is 0", usage(20, 0), new Usage(20, 0, ESTIMATE)),
            whole("the prompt is 0", usage(0, 200), new Usage(PROMPT, 0, 200)),
            whole("a token for a thousand characters", usage(20, 1), new Usage(20, 0, ESTIMATE)),
            whole(
                "the reply is null",
                "{\"prompt_tokens\":20,\"completion_tokens\":null}",
                new Usage(20, 0, ESTIMATE)),
            whole(
                "the reply by the total alone",
                "{\"prompt_tokens\":20,\"total_tokens\":220}",
                new Usage(20, 0, 200)),
            whole("numbers that no reply has", usage(Long.MAX_VALUE, Long.MAX_VALUE), estimated),
            whole(
                "by other names",
                "{\"input_tokens\":20,\"output_tokens\":200}",
                new Usage(20, 0, 200)),
            whole(
                "more cached than there is",
                "{\"prompt_tokens\":20,\"completion_tokens\":200,"
                    + "\"prompt_tokens_details\":{\"cached_tokens\":96},"
                    + "\"completion_tokens_details\":{\"reasoning_tokens\":900}}",
                new Usage(20, 20, 200, 200)),
            whole(
                "cached of a prompt of 0",
                "{\"prompt_tokens\":0,\"completion_tokens\":200,"
                    + "\"prompt_tokens_details\":{\"cached_tokens\":96}}",
                new Usage(PROMPT, PROMPT, 200)),
            whole(
                "cached is negative",
                "{\"prompt_tokens\":20,\"completion_tokens\":200,"
                    + "\"prompt_tokens_details\":{\"cached_tokens\":-96}}",
                new Usage(20, 0, 200))),
        Stream.of(
            chat("at the end", "", "", usage(20, 200), new Usage(20, 0, 200)),
            chat("never", "", "", "", estimated),
            chat("zeros at the end", "", "", usage(0, 0), estimated),
            chat("null all the time", "null", "null", "null", estimated),
            new Row(
                "in the choice",
                "default",
                Reply.events(
                    chunk("{\"content\":\"" + TEXT + "\"}", null, ""),
                    ("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"usage\":%s}]}")
                        .formatted(usage(20, 200))),
                new Usage(20, 0, 200)),
            new Row(
                "in a field of the service",
                "default",
                Reply.events(
                    chunk("{\"content\":\"" + TEXT + "\"}", null, ""),
                    ("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"x_groq\":"
                            + "{\"id\":\"r\",\"usage\":%s}}")
                        .formatted(usage(20, 200))),
                new Usage(20, 0, 200)),
            chat("only with the first part", usage(20, 0), "", "", new Usage(20, 0, ESTIMATE)),
            chat("only with the first, 1", usage(20, 1), "", "", new Usage(20, 0, ESTIMATE)),
            chat("with each part", usage(20, 0), usage(20, 199), "", new Usage(20, 0, 199)),
            chat(
                "zeros after counts",
                usage(20, 0),
                usage(20, 199),
                usage(0, 0),
                new Usage(20, 0, 199)),
            responses(
                "counts", "{\"input_tokens\":20,\"output_tokens\":200}", new Usage(20, 0, 200)),
            responses("null", "null", estimated),
            responses("zeros", "{\"input_tokens\":0,\"output_tokens\":0}", estimated),
            anthropic(
                "in two parts",
                "{\"input_tokens\":20,\"cache_read_input_tokens\":5,\"output_tokens\":1}",
                "{\"output_tokens\":200}",
                new Usage(25, 5, 200)),
            anthropic(
                "nothing of the reply in the first",
                "{\"input_tokens\":20}",
                "{\"output_tokens\":200}",
                new Usage(20, 0, 200)),
            anthropic(
                "only in the first",
                "{\"input_tokens\":20,\"output_tokens\":1}",
                "{}",
                new Usage(20, 0, ESTIMATE)),
            anthropic(
                "all in the last",
                "{\"input_tokens\":0,\"output_tokens\":0}",
                "{\"input_tokens\":20,\"cache_read_input_tokens\":5,\"output_tokens\":200}",
                new Usage(25, 5, 200)),
            anthropic("never", "null", "null", estimated),
            anthropic(
                "zeros",
                "{\"input_tokens\":0,\"output_tokens\":0}",
                "{\"output_tokens\":0}",
                estimated)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void aReplyCostsWhatCanBeTrue(Row row) throws Exception {
    server.chat(request -> row.reply());
    UsageTally spent = new UsageTally();
    Answered answered =
        (Answered)
            client(row.dialect())
                .complete(request("c"), "r", Duration.ofSeconds(20), part -> {}, spent);
    assertThat(answered.text()).isEqualTo(TEXT);
    assertThat(answered.usage()).isEqualTo(row.costs());
    assertThat(spent.total()).as("what counts against budgets").isEqualTo(row.costs());
    assertThat(answered.cachedTokens().orElse(0)).isEqualTo(row.costs().cachedTokens());
  }

  @Test
  void aReplyOfAFewCharactersCostsAToken() throws Exception {
    server.chat(request ->
        Reply.status(
            200,
            "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":\"ok\"}}],"
                + "\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":0}}"));
    Answered answered =
        (Answered)
            client("default")
                .complete(request("c"), "r", Duration.ofSeconds(20), part -> {}, new UsageTally());
    assertThat(answered.usage()).isEqualTo(new Usage(PROMPT, 0, 1));
    assertThat(answered.cachedTokens()).isEqualTo(OptionalLong.empty());
  }

  @Test
  void noPromptIsSoShortThatItCostsNothing() {
    ReplyBuilder reply = new ReplyBuilder(part -> {});
    reply.text("ok");
    reply.end();
    assertThat(reply.used(0)).isEqualTo(new Usage(1, 0, 1));
  }

  @Test
  void toolCallsAndReasoningCostToo() throws Exception {
    server.chat(request ->
        Reply.status(
            200,
            ("{\"choices\":[{\"finish_reason\":\"length\",\"message\":{\"content\":\"ship\","
                    + "\"reasoning_content\":\"%s\"}}],"
                    + "\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":0}}")
                .formatted(TEXT)));
    Answered answered =
        (Answered)
            client("default")
                .complete(request("c"), "r", Duration.ofSeconds(20), part -> {}, new UsageTally());
    assertThat(answered.usage().completionTokens()).isEqualTo(ESTIMATE + 1);
  }

  private ModelServer client(String dialect) {
    return new ModelServer(
        server.uri(), ProviderSettings.fromConfig(config("client.dialect = " + dialect)), http);
  }
}
