package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Query;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.http.ApiClient.Reply;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs over HTTP. */
class RunsApiTest extends ServedApi {

  private static final String ORDER = "{\"input\": \"do it\", \"namespace\": \"work\"}";
  private static final String OF_NAMESPACE = "?namespace=work";

  private AgentId id;
  private String runs;

  @Override
  Map<String, ?> settings() {
    return Map.of("streams.heartbeat", "200ms");
  }

  @BeforeEach
  void fresh() {
    id = rig.agent();
    runs = ApiRig.COLONY + "/agents/" + id.name() + "/runs";
  }

  @Test
  void aRunIsAskedForAwaitedAndKnownAfterwards() {
    Reply asked = client.post(runs, ORDER).is(202);
    RunId run = run(asked);
    String location = asked.headers().get("Location");
    assertThat(location).isEqualTo(runs + "/" + run + OF_NAMESPACE);
    assertThat(client.get(location).is(200).json().path("ended").asBoolean(true)).isFalse();
    CompletableFuture<Reply> held =
        CompletableFuture.supplyAsync(() -> client.get(location + "&wait=30"));
    rig.complete(id, run, IntNode.valueOf(7));
    for (Reply ended : List.of(held.join(), client.get(location))) {
      assertThat(ended.is(200).json().path("ended").asBoolean()).isTrue();
      assertThat(ended.json().path("result").path("output").asInt()).isEqualTo(7);
    }
  }

  @Test
  void aRunThatDoesNotEndIsAnsweredAfterTheWait() {
    String location = client.post(runs, ORDER).is(202).headers().get("Location");
    assertThat(client.get(location + "&wait=1").is(200).json().path("ended").asBoolean(true))
        .isFalse();
  }

  @Test
  void aRunThatNobodyAskedForIsNotFound() {
    client.get(runs + "/ghost" + OF_NAMESPACE).problem(404, "not-found");
    client.get(runs + "/ghost/events" + OF_NAMESPACE).problem(404, "not-found");
    client.get(runs + "/ghost").problem(400, "bad-request");
    client.get(runs + "/a%20b" + OF_NAMESPACE).problem(400, "bad-request");
  }

  @Test
  void aRequestThatIsMadeAgainIsTheSameRun() {
    Map<String, String> key = Map.of("Idempotency-Key", "order-42");
    Reply first = client.send("POST", runs, ORDER, key).is(202);
    assertThat(run(client.send("POST", runs, ORDER, key).is(202))).isEqualTo(run(first));
    client.send("POST", runs, ORDER.replace("do it", "do more"), key).problem(409, "refused");
    assertThat(rig.board(id).query(Query.keys("request:*")).toCompletableFuture().join().entries())
        .hasSize(1);
    client
        .send("POST", runs, ORDER, Map.of("Idempotency-Key", "x".repeat(257)))
        .problem(400, "bad-request");
    client
        .send("POST", runs, ORDER.replace("{", "{\"runId\": \"r\", "), key)
        .problem(400, "bad-request");
  }

  @Test
  void aRunIsOfTheTraceOfItsCaller() {
    String caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    client.send("POST", runs, ORDER, Map.of("traceparent", caller)).is(202);
    client.send("POST", runs, ORDER, Map.of("traceparent", "nonsense")).is(202);
    assertThat(rig.board(id).query(Query.keys("request:*")).toCompletableFuture().join().entries())
        .extracting(entry -> entry.value().path("traceparent").asText())
        .containsExactlyInAnyOrder(caller, "");
  }

  @Test
  void whatCannotBeStoredIsRefusedByName() {
    String agent = ApiRig.COLONY + "/agents/" + id.name();
    String half = "\"a\\ud83d\"";
    String order = "{\"namespace\": \"work\", \"input\": {\"a\": %s}}";
    unfit(runs, order.formatted(half), "$.input.a holds half a surrogate pair at character 1");
    unfit(runs, order.formatted("1e999999999"), "$.input.a is a number beyond what a double holds");
    for (String word : List.of("/suspend", "/stop", "/resume", "/signals/go")) {
      unfit(
          agent + word,
          "{\"reason\": %s}".formatted(half),
          "$.reason holds half a surrogate pair at character 1");
    }
    assertThat(rig.board(id).query(Query.keys("request:*")).toCompletableFuture().join().entries())
        .isEmpty();
    client.post(runs, order.formatted("\"\\u0000\\ufeff\\ud83d\\ude00\", \"b\": -0.0")).is(202);
  }

  private void unfit(String path, String body, String why) {
    assertThat(client.post(path, body).problem(400, "bad-request").json().path("detail").asText())
        .isEqualTo("the body cannot be stored: " + why + rest(why));
  }

  private static String rest(String why) {
    return why.endsWith("holds") ? ", which ends at about 1.8e308" : "";
  }

  @Test
  void anAgentIsSpawnedAndAskedAtOnceAndOnlyOnce() {
    String order =
        "{\"agent\": {\"blueprint\": %s}, \"input\": 1, \"namespace\": \"work\"}"
            .formatted(ApiRig.BLUEPRINT.toJson());
    Map<String, String> key = Map.of("Idempotency-Key", UUID.randomUUID().toString());
    Reply first = client.send("POST", ApiRig.COLONY + "/runs", order, key).is(202);
    Reply second = client.send("POST", ApiRig.COLONY + "/runs", order, key).is(202);
    assertThat(second.json()).isEqualTo(first.json());
    String agent = AgentId.parse(first.json().path("agentId").asText()).name();
    client.get(ApiRig.COLONY + "/agents/" + agent + "/status").is(200);
    assertThat(client.post(ApiRig.COLONY + "/runs", order).is(202).json().path("agentId").asText())
        .isNotEqualTo(first.json().path("agentId").asText());
    client
        .post(ApiRig.COLONY + "/runs", order.replace("\"agent\"", "\"agents\""))
        .problem(400, "bad-request");
    client.post(ApiRig.COLONY + "/runs", "[]").problem(400, "bad-request");
  }

  @Test
  void aStreamBringsEachEventOnceAndGoesOnBehindAnyOfThem() {
    RunId run = run(client.post(runs, ORDER).is(202));
    rig.emit(id, run, "found", IntNode.valueOf(1));
    rig.emit(id, run, "found", TextNode.valueOf("two\nlines\r\n: x"));
    rig.complete(id, run, IntNode.valueOf(3));
    List<Event> all = events(run, Map.of());
    assertThat(all).extracting(Event::name).containsExactly("progress", "progress", "end");
    assertThat(all.get(1).data().path("data").asText()).isEqualTo("two\nlines\r\n: x");
    JsonNode schema = ApiClient.parse("{\"$ref\": \"#/components/schemas/RunEvent\"}");
    assertThat(all)
        .allSatisfy(one -> assertThat(OpenApi.DOCUMENT.violations(schema, one.data())).isEmpty());
    assertThat(all.getLast().data().path("data").path("output").asInt()).isEqualTo(3);
    for (int had = 0; had < all.size() - 1; had++) {
      assertThat(events(run, Map.of("Last-Event-ID", all.get(had).id())))
          .isEqualTo(all.subList(had + 1, all.size()));
    }
    assertThat(events(run, Map.of("Last-Event-ID", all.getLast().id())))
        .extracting(Event::name)
        .containsExactly("end");
    client
        .send(
            "GET",
            runs + "/" + run + "/events" + OF_NAMESPACE,
            "",
            Map.of("Last-Event-ID", "1-1-1.00000000"))
        .problem(400, "bad-request");
  }

  @Test
  void aStreamLivesWhileNothingHappensAndIsToldToComeBackWhenTheNodeEnds() throws Exception {
    RunId run = run(client.post(runs, ORDER).is(202));
    try (HttpApi other = rig.start(AccessSettings.OPEN, Map.of("streams.heartbeat", "100ms"))) {
      Stream<String> lines =
          ApiClient.of(other).stream(runs + "/" + run + "/events" + OF_NAMESPACE, Map.of());
      Iterator<String> read = lines.iterator();
      List<String> seen = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        seen.add(read.next());
      }
      assertThat(seen).allMatch(line -> line.isEmpty() || line.equals(":"));
      CompletableFuture<List<Event>> rest =
          CompletableFuture.supplyAsync(() -> Event.all(rest(read)));
      rig.emit(id, run, "found", IntNode.valueOf(1));
      other.drain().toCompletableFuture().join();
      assertThat(rest.join()).noneMatch(event -> event.name().equals("end"));
    }
  }

  private static Stream<String> rest(Iterator<String> lines) {
    Iterable<String> all = () -> lines;
    return java.util.stream.StreamSupport.stream(all.spliterator(), false);
  }

  @Test
  void aRunIsCancelled() {
    RunId run = run(client.post(runs, ORDER).is(202));
    client.post(runs + "/" + run + "/cancel" + OF_NAMESPACE, "{\"reason\": \"enough\"}").is(202);
    client.post(runs + "/" + run + "/cancel" + OF_NAMESPACE, "").is(202);
    assertThat(rig.board(id).query(Query.keys("*cancel*")).toCompletableFuture().join().entries())
        .hasSize(1);
    client
        .post(runs + "/" + run + "/cancel?namespace=work&protocol=work", "")
        .problem(400, "bad-request");
  }

  private List<Event> events(RunId run, Map<String, String> headers) {
    try (Stream<String> lines =
        client.stream(runs + "/" + run + "/events" + OF_NAMESPACE, headers)) {
      return Event.all(lines);
    }
  }

  private static RunId run(Reply asked) {
    return new RunId(asked.json().path("runId").asText());
  }
}
