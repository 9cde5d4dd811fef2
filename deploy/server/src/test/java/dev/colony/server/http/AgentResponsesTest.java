package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.NotFoundException;
import com.openai.models.conversations.ConversationCreateParams;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseRetrieveParams;
import com.openai.models.responses.ResponseStatus;
import com.openai.models.responses.ResponseStreamEvent;
import com.openai.models.responses.inputitems.InputItemListParams;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.http.ApiClient.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Responses of agents that a client comes back to, by OpenAI's own client, at another node than the
 * one that was asked; the test writes how their runs end.
 */
class AgentResponsesTest extends ServedApi {

  private static final String RESPONSES = "/v1/responses";
  private static final String NAMESPACE = "openai";

  @TempDir private Path folder;
  private HttpApi other;
  private OpenAIClient asking;
  private OpenAIClient reading;

  @Override
  Map<String, ?> settings() {
    return Map.of();
  }

  @BeforeEach
  void clients() {
    other = rig.start();
    asking = openai(api);
    reading = openai(other);
  }

  @AfterEach
  void gone() {
    asking.close();
    reading.close();
    other.close();
  }

  @Test
  void aResponseInTheBackgroundIsHadFromAnotherNode() {
    AgentId agent = rig.agent();
    Response begun = asking.responses().create(background(agent, "count to three").build());
    assertThat(begun.status()).contains(ResponseStatus.IN_PROGRESS);
    assertThat(begun.output()).isEmpty();
    assertThat(reading.responses().retrieve(begun.id()).status())
        .contains(ResponseStatus.IN_PROGRESS);
    complete(agent, "one two three");
    Response ended = reading.responses().retrieve(begun.id());
    assertThat(ended.status()).contains(ResponseStatus.COMPLETED);
    assertThat(text(ended)).isEqualTo("one two three");
    assertThat(ended.id()).isEqualTo(begun.id());
    assertThat(ended.createdAt()).isEqualTo(begun.createdAt());
    assertThat(ended._metadata().toString()).contains("order");
    assertThat(ended.background()).contains(true);
  }

  @Test
  void aResponseThatWasWaitedForIsKeptToo() {
    AgentId agent = rig.agent();
    var waiting =
        CompletableFuture.supplyAsync(
            () -> asking.responses().create(asked(agent, "count").build()),
            // The client itself needs threads of the common pool.
            task -> Thread.ofVirtual().start(task));
    complete(agent, "one");
    Response first = waiting.join();
    assertThat(text(reading.responses().retrieve(first.id()))).isEqualTo("one");
  }

  /** The numbers are those of the run's end, wherever and whenever it is read. */
  @Test
  void aStreamGoesOnBehindTheLastNumberThatItsClientHasHad() {
    AgentId agent = rig.agent();
    Response begun = asking.responses().create(background(agent, "count").build());
    List<Long> numbers = new ArrayList<>();
    try (StreamResponse<ResponseStreamEvent> stream =
        asking
            .responses()
            .retrieveStreaming(ResponseRetrieveParams.builder().responseId(begun.id()).build())) {
      var events = stream.stream().iterator();
      assertThat(events.next().isCreated()).isTrue();
      assertThat(events.next().isInProgress()).isTrue();
      complete(agent, "one two three");
      events.forEachRemaining(event -> numbers.add(number(event)));
    }
    assertThat(numbers.getFirst()).isEqualTo(2);
    for (long had : List.of(0L, 4L, numbers.getLast())) {
      try (StreamResponse<ResponseStreamEvent> stream =
          reading
              .responses()
              .retrieveStreaming(
                  ResponseRetrieveParams.builder()
                      .responseId(begun.id())
                      .startingAfter(had)
                      .build())) {
        assertThat(stream.stream().map(AgentResponsesTest::number))
            .as("behind %d", had)
            .containsExactlyElementsOf(
                LongStream.rangeClosed(had + 1, numbers.getLast()).boxed().toList());
      }
    }
  }

  @Test
  void whatGoesOnFromAResponseTellsTheAgentWhatWasSaid() {
    AgentId agent = rig.agent();
    Response first = asking.responses().create(background(agent, "count to three").build());
    assertThatThrownBy(() ->
            reading
                .responses()
                .create(background(agent, "and on").previousResponseId(first.id()).build()))
        .hasMessageContaining("has not ended");
    complete(agent, "one two three");
    Response second =
        reading
            .responses()
            .create(background(agent, "and on").previousResponseId(first.id()).build());
    assertThat(second.previousResponseId()).contains(first.id());
    String input =
        requests(agent).stream().filter(words -> words.endsWith("and on")).findAny().get();
    assertThat(input)
        .containsSubsequence("User: count to three", "Assistant: one two three", "and on");
  }

  @Test
  void aConversationGoesOnFromItsLastResponse() {
    AgentId agent = rig.agent();
    String talk = asking.conversations().create(ConversationCreateParams.builder().build()).id();
    Response first =
        asking.responses().create(background(agent, "count to three").conversation(talk).build());
    assertThat(first.conversation().orElseThrow().id()).isEqualTo(talk);
    assertThatThrownBy(() ->
            reading.responses().create(background(agent, "and on").conversation(talk).build()))
        .hasMessageContaining("has not ended");
    complete(agent, "one two three");
    reading.responses().create(background(agent, "and on").conversation(talk).build());
    String input =
        requests(agent).stream().filter(words -> words.endsWith("and on")).findAny().get();
    assertThat(input).containsSubsequence("User: count to three", "Assistant: one two three");
    assertThat(reading.conversations().retrieve(talk).id()).isEqualTo(talk);
    String both = "\"conversation\": {\"id\": \"%s\"}, \"previous_response_id\": \"%s\"";
    client
        .post(
            RESPONSES,
            "{\"model\": \"%s\", \"input\": \"count\", %s}"
                .formatted(model(agent), both.formatted(talk, first.id())))
        .problem(400, "invalid-value");
    reading.conversations().delete(talk);
    assertThatThrownBy(
            () -> asking.responses().create(background(agent, "and on").conversation(talk).build()))
        .isInstanceOf(NotFoundException.class);
  }

  /** Those that come later find one that has not ended, and those at the same time another's. */
  @Test
  void ofResponsesOfAConversationAtOnceOneIsMade() throws Exception {
    AgentId agent = rig.agent();
    String talk = client.post("/v1/conversations", "{}").is(200).json().path("id").asText();
    String body =
        "{\"model\": \"%s\", \"background\": true, \"conversation\": \"%s\", \"input\": \"%d\"}";
    List<Reply> replies;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      replies =
          threads
              .invokeAll(
                  IntStream.range(0, 8)
                      .<Callable<Reply>>mapToObj(one ->
                          () -> client.post(RESPONSES, body.formatted(model(agent), talk, one)))
                      .toList())
              .stream()
              .map(Future::resultNow)
              .toList();
    }
    assertThat(replies).extracting(Reply::status).containsOnlyOnce(200).isSubsetOf(200, 400, 409);
    assertThat(requests(agent)).hasSize(1);
    String made =
        replies.stream()
            .filter(one -> one.status() == 200)
            .findAny()
            .get()
            .json()
            .path("id")
            .asText();
    complete(agent, "done");
    client.get(RESPONSES + "/" + made).is(200);
    client.post(RESPONSES, body.formatted(model(agent), talk, 9)).is(200);
  }

  @Test
  void aResponseIsCancelledAndForgotten() {
    AgentId agent = rig.agent();
    Response begun = asking.responses().create(background(agent, "count").build());
    assertThat(
            client
                .send("POST", RESPONSES + "/" + begun.id() + "/cancel", "", Map.of())
                .is(200)
                .json()
                .path("status")
                .asText())
        .as("its agent does not live")
        .isEqualTo("in_progress");
    rig.end(
        agent,
        NAMESPACE,
        AgentRun.cancelled(run(agent), "its response was cancelled", RunStats.NONE));
    assertThat(reading.responses().cancel(begun.id()).status()).contains(ResponseStatus.CANCELLED);
    reading.responses().delete(begun.id());
    assertThatThrownBy(() -> asking.responses().retrieve(begun.id()))
        .isInstanceOf(NotFoundException.class);
    client.send("DELETE", RESPONSES + "/" + begun.id(), "", Map.of()).problem(404, "not-found");
  }

  @Test
  void aRunThatFailsIsAResponseThatFailed() {
    AgentId agent = rig.agent();
    Response begun = asking.responses().create(background(agent, "count").build());
    rig.end(agent, NAMESPACE, AgentRun.failed(run(agent), "cannot count", RunStats.NONE));
    Response failed = reading.responses().retrieve(begun.id());
    assertThat(failed.status()).contains(ResponseStatus.FAILED);
    assertThat(failed.error().orElseThrow().message()).isEqualTo("cannot count");
  }

  @Test
  void whatItWasAskedWithIsListed() {
    AgentId agent = rig.agent();
    String input =
        "[{\"role\": \"developer\", \"content\": \"Be short.\"}, {\"role\": \"user\", \"content\":"
            + " \"count\"}]";
    String id =
        client
            .post(
                RESPONSES,
                "{\"model\": \"%s\", \"background\": true, \"input\": %s}"
                    .formatted(model(agent), input))
            .is(200)
            .json()
            .path("id")
            .asText();
    assertThat(reading.responses().inputItems().list(id).items())
        .extracting(item -> item.asResponseInputMessageItem().role().asString())
        .containsExactly("user", "developer");
    JsonNode page =
        client.get(RESPONSES + "/" + id + "/input_items?order=asc&limit=1").is(200).json();
    assertThat(page.at("/data/0/role").asText()).isEqualTo("developer");
    assertThat(page.path("has_more").asBoolean()).isTrue();
    assertThat(
            reading
                .responses()
                .inputItems()
                .list(
                    InputItemListParams.builder()
                        .responseId(id)
                        .order(InputItemListParams.Order.ASC)
                        .after(page.path("last_id").asText())
                        .build())
                .items())
        .extracting(item -> item.asResponseInputMessageItem().role().asString())
        .containsExactly("user");
  }

  @Test
  void oneIdempotencyKeyIsOneResponse() {
    AgentId agent = rig.agent();
    String body =
        "{\"model\": \"%s\", \"background\": true, \"input\": \"count\"}".formatted(model(agent));
    Map<String, String> key = Map.of("Idempotency-Key", "k7");
    String id = client.send("POST", RESPONSES, body, key).is(200).json().path("id").asText();
    assertThat(client.send("POST", RESPONSES, body, key).is(200).json().path("id").asText())
        .isEqualTo(id);
    assertThat(requests(agent)).hasSize(1);
    client.send("POST", RESPONSES, body.replace("count", "sum"), key).problem(409, "refused");
    client.get(RESPONSES + "/" + id).is(200);
  }

  @Test
  void whatIsNotKeptIsRefusedOrNotFound() {
    AgentId agent = rig.agent();
    String body = "{\"model\": \"%s\", \"input\": \"count\", %s}";
    client
        .post(RESPONSES, body.formatted(model(agent), "\"background\": true, \"store\": false"))
        .problem(400, "invalid-value");
    client
        .post(RESPONSES, body.formatted(model(agent), "\"previous_response_id\": \"resp_no\""))
        .problem(404, "not-found");
    for (String ofAgents : List.of("\"background\": true", "\"previous_response_id\": \"x\"")) {
      assertThat(
              client
                  .post(RESPONSES, body.formatted("default", ofAgents))
                  .problem(400, "unsupported-parameter")
                  .json()
                  .at("/error/message")
                  .asText())
          .contains("a model's responses are not kept");
    }
    var waiting =
        CompletableFuture.supplyAsync(
            () -> client.post(RESPONSES, body.formatted(model(agent), "\"store\": false")));
    complete(agent, "one");
    JsonNode reply = waiting.join().is(200).json();
    assertThat(reply.path("store").asBoolean(true)).isFalse();
    client.get(RESPONSES + "/" + reply.path("id").asText()).problem(404, "not-found");
    client.get(RESPONSES + "/resp_" + "A".repeat(40)).problem(404, "not-found");
    client.get(RESPONSES + "/nothing").problem(404, "not-found");
  }

  @Test
  void anotherTenantsKeyHasNothingOfIt() {
    AgentId agent = rig.agent();
    Response begun = asking.responses().create(background(agent, "count").build());
    List<AccessKey> rival =
        List.of(AccessKey.of(new Principal("rival", "rival", Role.ADMIN), "key-of-rival"));
    try (HttpApi guarded = rig.start(ApiRig.keys(folder, rival), Map.of())) {
      ApiClient foreign = ApiClient.of(guarded).key("key-of-rival");
      String path = RESPONSES + "/" + begun.id();
      foreign.get(path).problem(403, "forbidden");
      foreign.get(path + "/input_items").problem(403, "forbidden");
      foreign.send("POST", path + "/cancel", "", Map.of()).problem(403, "forbidden");
      foreign.send("DELETE", path, "", Map.of()).problem(403, "forbidden");
      ApiClient.of(guarded).key(ApiRig.key(Role.VIEWER)).get(path).is(200);
    }
  }

  private static OpenAIClient openai(HttpApi at) {
    return OpenAIOkHttpClient.builder()
        .baseUrl(at.uri() + "/v1")
        .apiKey("none")
        .maxRetries(0)
        .responseValidation(true)
        .build();
  }

  private static ResponseCreateParams.Builder asked(AgentId agent, String said) {
    return ResponseCreateParams.builder().model(model(agent)).input(said);
  }

  private static ResponseCreateParams.Builder background(AgentId agent, String said) {
    return asked(agent, said)
        .background(true)
        .metadata(
            ResponseCreateParams.Metadata.builder()
                .putAdditionalProperty("order", JsonValue.from("7"))
                .build());
  }

  private static String model(AgentId agent) {
    return "agent:%s/%s/%s".formatted(agent.tenant(), agent.colony(), agent.name());
  }

  private static String text(Response response) {
    return response.output().getLast().asMessage().content().getFirst().asOutputText().text();
  }

  private static long number(ResponseStreamEvent event) {
    Map<?, ?> fields = event._json().orElseThrow().convert(Map.class);
    return ((Number) fields.get("sequence_number")).longValue();
  }

  private void complete(AgentId agent, String words) {
    rig.end(
        agent, NAMESPACE, AgentRun.completed(run(agent), TextNode.valueOf(words), RunStats.NONE));
  }

  /** The one that its agent was asked for. */
  private RunId run(AgentId agent) {
    return new RunId(
        Awaitility.await()
            .until(() -> entries(agent), keys -> !keys.isEmpty())
            .getLast()
            .key()
            .substring("request:run:".length()));
  }

  private List<String> requests(AgentId agent) {
    return entries(agent).stream().map(entry -> entry.value().path("input").asText()).toList();
  }

  private List<Entry> entries(AgentId agent) {
    return rig.client()
        .blackboards()
        .open(agent.scope().namespace(NAMESPACE), "tester")
        .query(Query.keys("request:run:*"))
        .toCompletableFuture()
        .join()
        .entries();
  }
}
