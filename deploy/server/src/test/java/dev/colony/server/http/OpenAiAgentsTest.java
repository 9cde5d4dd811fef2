package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.http.ApiClient.Reply;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Agents asked by OpenAI's and Anthropic's protocols as if they were models; the test writes how
 * their runs end.
 */
class OpenAiAgentsTest extends ServedApi {

  private static final String CHAT = "/v1/chat/completions";
  private static final String RESPONSES = "/v1/responses";
  private static final String MESSAGES = "/v1/messages";
  private static final String NAMESPACE = "openai";

  @TempDir private Path folder;

  @Override
  Map<String, ?> settings() {
    return Map.of();
  }

  @Test
  void whatTheUserSaysLastIsTheInputOfARunWhoseOutputIsTheReply() {
    AgentId agent = rig.agent();
    CompletableFuture<Reply> asked = ask(CHAT, chat(agent, ""), Map.of());
    Entry request = request(agent);
    assertThat(request.value().path("input").asText()).isEqualTo("count to three");
    end(agent, AgentRun.completed(run(request), TextNode.valueOf("one two three"), RunStats.NONE));
    Reply reply = asked.join().is(200);
    JsonNode json = reply.json();
    assertThat(json.at("/choices/0/message/content").asText()).isEqualTo("one two three");
    assertThat(json.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(json.path("model").asText()).isEqualTo(model(agent));
    assertThat(reply.headers()).containsEntry("x-colony-run", run(request).value());
  }

  @Test
  void anOutputThatIsNoTextIsTheTextOfItsJson() {
    AgentId agent = rig.agent();
    CompletableFuture<Reply> asked =
        ask(
            RESPONSES,
            "{\"model\": \"%s\", \"input\": \"count\"}".formatted(model(agent)),
            Map.of());
    JsonNode output = ApiClient.parse("{\"counted\": 3}");
    end(agent, AgentRun.completed(run(request(agent)), output, RunStats.NONE));
    JsonNode json = asked.join().is(200).json();
    assertThat(json.at("/output/0/content/0/text").asText()).isEqualTo("{\"counted\":3}");
  }

  @Test
  void anthropicsProtocolAsksAgentsToo() {
    AgentId agent = rig.agent();
    String body = chat(agent, ", \"max_tokens\": 9");
    CompletableFuture<Reply> asked = ask(MESSAGES, body, Map.of());
    RunId run = run(request(agent));
    end(agent, AgentRun.completed(run, TextNode.valueOf("one two three"), RunStats.NONE));
    Reply reply = asked.join().is(200);
    assertThat(reply.json().at("/content/0/text").asText()).isEqualTo("one two three");
    assertThat(reply.json().path("model").asText()).isEqualTo(model(agent));
    assertThat(reply.headers()).containsEntry("x-colony-run", run.value());
  }

  @Test
  void aStreamIsKeptAliveUntilTheRunHasEndedAndThenHasItsOutput() throws Exception {
    AgentId agent = rig.agent();
    List<String> lines = new CopyOnWriteArrayList<>();
    try (HttpApi other = rig.start(AccessSettings.OPEN, Map.of("streams.heartbeat", "100ms"))) {
      ApiClient hasty = ApiClient.of(other);
      CompletableFuture<Void> read =
          CompletableFuture.runAsync(() -> {
            try (Stream<String> all =
                hasty.stream("POST", CHAT, chat(agent, ", \"stream\": true"), Map.of())) {
              all.forEach(lines::add);
            }
          });
      RunId run = run(request(agent));
      Awaitility.await().until(() -> lines.stream().anyMatch(":"::equals));
      rig.emit(agent, NAMESPACE, run, "counted", TextNode.valueOf("one"));
      end(agent, AgentRun.completed(run, TextNode.valueOf("one two three"), RunStats.NONE));
      read.join();
    }
    List<String> data =
        lines.stream()
            .filter(line -> line.startsWith("data: "))
            .map(line -> line.substring(6))
            .toList();
    assertThat(data.getLast()).isEqualTo("[DONE]");
    StringBuilder text = new StringBuilder();
    data.subList(0, data.size() - 1)
        .forEach(
            one -> text.append(ApiClient.parse(one).at("/choices/0/delta/content").asText("")));
    assertThat(text).hasToString("one two three");
  }

  /** Its status has been sent by then. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /v1/chat/completions | {"error":{
          /v1/messages         | {"type":"error","error":{
          """)
  void whatFailsLateIsToldBeforeTheConnectionEnds(String path, String error) {
    AgentId agent = rig.agent();
    String body = chat(agent, ", \"max_tokens\": 9");
    try (HttpApi other = rig.start(AccessSettings.OPEN, Map.of("streams.heartbeat", "100ms"));
        RawClient raw = new RawClient(other.uri(), ApiClient.LONGEST)) {
      raw.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(path, body.length(), body));
      RunId run = run(request(agent));
      assertThat(raw.readSome()).startsWith("HTTP/1.1 200 OK");
      end(agent, AgentRun.failed(run, "cannot count", RunStats.NONE));
      assertThat(raw.readToEnd()).contains(error).contains("cannot count");
    }
  }

  @Test
  void aRunThatFailsIsAnErrorThatIsNotRetried() {
    AgentId agent = rig.agent();
    CompletableFuture<Reply> asked = ask(CHAT, chat(agent, ""), Map.of());
    end(agent, AgentRun.failed(run(request(agent)), "cannot count", RunStats.NONE));
    Reply reply = asked.join().problem(502, "run-failed");
    assertThat(reply.json().at("/error/message").asText()).isEqualTo("cannot count");
    assertThat(reply.headers()).containsEntry("x-should-retry", "false");
  }

  @Test
  void oneIdempotencyKeyIsOneRun() {
    AgentId agent = rig.agent();
    Map<String, String> key = Map.of("Idempotency-Key", "k1");
    List<CompletableFuture<Reply>> asked =
        List.of(ask(CHAT, chat(agent, ""), key), ask(CHAT, chat(agent, ""), key));
    Entry request = request(agent);
    end(agent, AgentRun.completed(run(request), TextNode.valueOf("done"), RunStats.NONE));
    assertThat(asked)
        .extracting(one -> one.join().is(200).headers().get("x-colony-run"))
        .containsOnly(run(request).value());
  }

  @Test
  void anIdempotencyKeyWithAnotherInputIsAConflictThatIsNotRetried() {
    AgentId agent = rig.agent();
    Map<String, String> key = Map.of("Idempotency-Key", "k2");
    CompletableFuture<Reply> first = ask(CHAT, chat(agent, ""), key);
    RunId run = run(request(agent));
    String other = "{\"model\": \"%s\", \"input\": \"count\"}".formatted(model(agent));
    for (String stream : List.of("", ", \"stream\": true")) {
      for (Reply refused :
          List.of(
              client.send("POST", CHAT, chat(agent, stream).replace("to three", "to four"), key),
              client.send("POST", RESPONSES, other.replaceFirst("}$", stream + "}"), key))) {
        assertThat(refused.problem(409, "refused").json().at("/error/type").asText())
            .isEqualTo("invalid_request_error");
        assertThat(refused.json().at("/error/message").asText()).contains("another input");
        assertThat(refused.headers()).containsEntry("x-should-retry", "false");
      }
    }
    end(agent, AgentRun.completed(run, TextNode.valueOf("done"), RunStats.NONE));
    first.join().is(200);
  }

  @Test
  @Timeout(120)
  void aTenantThatIsNotTheKeysOrNotTheAgentsIsRefused() {
    AgentId agent = rig.agent();
    List<AccessKey> root =
        List.of(
            AccessKey.of(new Principal("root", Principal.EVERY_TENANT, Role.ADMIN), "key-of-root"));
    try (HttpApi other = rig.start(ApiRig.keys(folder, root), Map.of())) {
      ApiClient own = ApiClient.of(other).key(ApiRig.key(Role.OPERATOR));
      ApiClient every = ApiClient.of(other).key("key-of-root");
      String foreign = ", \"colony\": {\"tenant\": \"rival\"}";
      String response = "{\"model\": \"%s\", \"input\": \"count\"%s}";
      own.post(CHAT, chat(agent, foreign)).problem(403, "forbidden");
      own.post(RESPONSES, response.formatted(model(agent), foreign)).problem(403, "forbidden");
      own.post(CHAT, chat(agent, foreign.replace("rival", "a b"))).problem(400, "bad-request");
      Reply contradicted = every.post(CHAT, chat(agent, foreign)).problem(400, "invalid-value");
      assertThat(contradicted.json().at("/error/param").asText()).isEqualTo("colony.tenant");
      assertThat(requests(agent)).isEmpty();
      CompletableFuture<Reply> asked =
          CompletableFuture.supplyAsync(
              () -> every.post(CHAT, chat(agent, foreign.replace("rival", agent.tenant()))));
      end(agent, AgentRun.completed(run(request(agent)), TextNode.valueOf("3"), RunStats.NONE));
      asked.join().is(200);
    }
  }

  @Test
  void whatNamesNoAgentIsRefused() {
    client.post(CHAT, chat("agent:acme/lab/nobody")).problem(404, "model-not-found");
    client.post(CHAT, chat("agent:acme")).problem(400, "invalid-value");
    client
        .post(
            CHAT,
            "{\"model\": \"%s\", \"messages\": [{\"role\": \"system\", \"content\": \"a\"}]}"
                .formatted(model(rig.agent())))
        .problem(400, "invalid-value");
  }

  private CompletableFuture<Reply> ask(String path, String body, Map<String, String> headers) {
    return CompletableFuture.supplyAsync(() -> client.send("POST", path, body, headers));
  }

  private static String model(AgentId agent) {
    return "agent:%s/%s/%s".formatted(agent.tenant(), agent.colony(), agent.name());
  }

  private static String chat(AgentId agent, String more) {
    return chat(model(agent)).replaceFirst("}$", more + "}");
  }

  private static String chat(String model) {
    return """
    {"model": "%s", "messages": [
      {"role": "system", "content": "Be short."}, {"role": "user", "content": "hello"},
      {"role": "assistant", "content": "hello"}, {"role": "user", "content": "count to three"}]}\
    """
        .formatted(model);
  }

  private void end(AgentId agent, AgentRun ended) {
    rig.end(agent, NAMESPACE, ended);
  }

  private List<Entry> requests(AgentId agent) {
    return rig.client()
        .blackboards()
        .open(agent.scope().namespace(NAMESPACE), "tester")
        .query(Query.keys("request:run:*"))
        .toCompletableFuture()
        .join()
        .entries();
  }

  private Entry request(AgentId agent) {
    return Awaitility.await().until(() -> requests(agent), found -> !found.isEmpty()).getFirst();
  }

  private static RunId run(Entry request) {
    return new RunId(request.key().substring("request:run:".length()));
  }
}
