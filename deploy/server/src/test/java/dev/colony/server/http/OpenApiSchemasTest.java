package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentState;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.ScopeSuspensions.ScopeSuspension;
import dev.colony.agent.client.Session;
import dev.colony.client.session.BlackboardSpendStore.TenantSpending;
import dev.colony.client.wire.Problem;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.RequestBody.RunRequestBody;
import dev.colony.client.wire.WireJson.AcceptedRun;
import dev.colony.client.wire.WireJson.FoundRun;
import dev.colony.client.wire.WireJson.PendingApprovals;
import dev.colony.client.wire.WireJson.RunAttempt;
import dev.colony.client.wire.WireJson.RunEvent;
import dev.colony.client.wire.WireJson.RunState;
import dev.colony.client.wire.WireJson.SessionPages.SessionPage;
import dev.colony.client.wire.WireJson.SessionPages.SessionRunPage;
import dev.colony.client.wire.WireJson.SuspendedScopes;
import dev.colony.server.AgentViews.AgentDetails;
import dev.colony.server.AgentViews.AgentPage;
import dev.colony.server.AgentViews.DeadLetterPage;
import dev.colony.server.AgentViews.LostEventsPage;
import dev.colony.server.AgentViews.PurgedAgents;
import dev.colony.server.AgentViews.PurgedRuns;
import dev.colony.server.BoardViews.BoardEvent;
import dev.colony.server.BoardViews.EntryViewPage;
import dev.colony.server.BoardViews.ScopePage;
import dev.colony.server.Explorer.Explored;
import dev.colony.server.StoreStatus.StoreView;
import dev.colony.server.http.ApiResponse.ServerEvent;
import dev.colony.server.http.ClusterViews.ClusterView;
import dev.colony.server.http.ClusterViews.PagesView;
import dev.colony.server.http.PageViews.MapPagesView;
import dev.colony.server.http.PageViews.PageFaultsView;
import dev.colony.server.http.PageViews.PageGraphView;
import dev.colony.server.http.PageViews.PageLocksView;
import dev.colony.server.http.PageViews.PageTableView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The document's schemas are those of the records that are sent and taken. */
class OpenApiSchemasTest {

  /** What is sent and taken; what these mention belongs to it. */
  private static final List<Class<?>> ROOTS =
      Stream.concat(
              Stream.of(
                  AcceptedRun.class,
                  AgentDetails.class,
                  AgentPage.class,
                  AgentState.class,
                  AgentStatus.class,
                  BoardEvent.class,
                  ClusterView.class,
                  DeadLetterPage.class,
                  EntryViewPage.class,
                  Explored.class,
                  ForkReply.class,
                  FoundRun.class,
                  HistoryPage.class,
                  MapPagesView.class,
                  LostEventsPage.class,
                  PendingApprovals.class,
                  PageFaultsView.class,
                  PageGraphView.class,
                  PageLocksView.class,
                  PageTableView.class,
                  PagesView.class,
                  Problem.class,
                  PurgedAgents.class,
                  PurgedRuns.class,
                  ReplyPart.class,
                  RunAttempt.class,
                  RunEvent.class,
                  ScopeSuspension.class,
                  SuspendedScopes.class,
                  RunRequestBody.class,
                  RunState.class,
                  ScopePage.class,
                  Session.class,
                  SessionPage.class,
                  SessionRunPage.class,
                  StateAt.class,
                  StoreView.class,
                  TenantSpending.class),
              Arrays.stream(RequestBody.class.getPermittedSubclasses()))
          .toList();

  /**
   * Of values whose JSON is written by hand or is OpenAI's or Anthropic's, of two bodies in one,
   * and of streams.
   */
  private static final Set<String> BY_HAND =
      Set.of(
          "OpenAiError",
          "AnthropicError",
          "MessageRequest",
          "MessageTokensRequest",
          "AnthropicMessage",
          "AnthropicBlock",
          "Message",
          "MessageTokens",
          "ChatCompletionRequest",
          "ChatMessage",
          "MessageContent",
          "CallArguments",
          "OfferedFunction",
          "JsonSchema",
          "ToolChoice",
          "NamedFunction",
          "AskedModel",
          "Temperature",
          "TopP",
          "Seed",
          "StopTexts",
          "ResponseRequest",
          "ResponseItem",
          "OpenAiExtension",
          "ChatCompletion",
          "Response",
          "DeletedResponse",
          "ConversationRequest",
          "Conversation",
          "DeletedConversation",
          "ResponseItemPage",
          "EmbeddingTokens",
          "EmbeddingRequest",
          "EmbeddingList",
          "Model",
          "ModelList",
          "Blueprint",
          "CapabilityBlueprint",
          "StreamBlueprint",
          "AgentBlueprint",
          "BlueprintChange",
          "PlainJson",
          "ResumptionCondition",
          "ChildrenCompleted",
          "ResourceAvailable",
          "PagesAvailable",
          "Immediate",
          "Custom",
          "At",
          "Event",
          "Approved",
          "All",
          "AnyOf",
          "EventBatch",
          "SpawnAndRunRequest",
          "JsonRpcRefusal",
          "JsonRpcMessage",
          "JsonRpcId",
          "JsonRpcRequest",
          "JsonRpcNotification",
          "JsonRpcResult",
          "JsonRpcError",
          "RunEventStream",
          "RunStreamEvent",
          "PartStream",
          "PartStreamEvent",
          "PartOfAnswer",
          "EndOfParts",
          "BoardEventStream",
          "BoardStreamEvent",
          "Struggle",
          "ProgressOfRun",
          "EndOfRun",
          "ProgressOfBoard",
          "ProblemOfStream");

  /** Texts of one form, which records have as text. */
  private static final Set<String> TEXTS =
      Set.of(
          "Name",
          "TypeName",
          "AgentPath",
          "ScopePath",
          "EntryKey",
          "KeyGlob",
          "StreamPosition",
          "LetterName",
          "PageName",
          "Period");

  /** For people. */
  private static final Set<String> BESIDE = Set.of("description", "example");

  /**
   * Narrower than a type can say; {@link OpenApiBodiesTest} holds these to what the server does.
   */
  private static final Set<String> NARROWER =
      Set.of(
          "pattern", "minimum", "maximum", "minLength", "maxLength", "enum", "if", "then", "else");

  @Test
  void eachSchemaHasTheComponentsOfItsRecord() {
    Map<String, JsonNode> records = new RecordSchemas(ROOTS).all();
    Map<String, JsonNode> described = new TreeMap<>();
    OpenApi.DOCUMENT
        .schemas()
        .properties()
        .forEach(schema -> described.put(schema.getKey(), schema.getValue()));
    assertThat(described.keySet())
        .isEqualTo(
            Stream.of(records.keySet(), BY_HAND, TEXTS)
                .flatMap(Set::stream)
                .collect(Collectors.toCollection(TreeSet::new)));
    records.forEach((name, schema) ->
        assertThat(bare(described.get(name), schema)).as(name).isEqualTo(bare(schema, schema)));
  }

  @Test
  void theEventsOfAStreamAreThoseThatTheServerSends() {
    Set<String> sent = Set.of(ServerEvent.PROGRESS, ServerEvent.END, ServerEvent.PROBLEM);
    assertThat(events("RunStreamEvent")).isEqualTo(sent);
    assertThat(events("PartStreamEvent"))
        .isEqualTo(Set.of(ServerEvent.PART, ServerEvent.END, ServerEvent.PROBLEM));
    assertThat(events("BoardStreamEvent"))
        .isEqualTo(Set.of(ServerEvent.PROGRESS, ServerEvent.PROBLEM));
  }

  private static Set<String> events(String stream) {
    return OpenApi.DOCUMENT
        .schemas()
        .path(stream)
        .path("oneOf")
        .valueStream()
        .map(OpenApi.DOCUMENT::resolve)
        .map(event -> event.path("properties").path("event").path("const").asText())
        .collect(Collectors.toSet());
  }

  /** A client that reads a stream as a list waits for its end and then fails. */
  @Test
  void streamsOfEventsAreText() {
    List<JsonNode> streams = new ArrayList<>();
    OpenApi.DOCUMENT
        .paths()
        .findValues("text/event-stream")
        .forEach(stream -> streams.add(OpenApi.DOCUMENT.resolve(stream.path("schema"))));
    assertThat(streams)
        .hasSizeGreaterThan(5)
        .allSatisfy(stream -> assertThat(stream.path("type").asText()).isEqualTo("string"));
  }

  @Test
  void aRunOfASpawnedAgentIsAskedForAsAnyOther() {
    JsonNode asked = OpenApi.DOCUMENT.schemas().path("RunRequestBody");
    ObjectNode both = OpenApi.DOCUMENT.schemas().path("SpawnAndRunRequest").deepCopy();
    ((ObjectNode) both.path("properties")).remove("agent");
    both.set("description", asked.path("description"));
    both.set("required", asked.path("required"));
    assertThat(both).isEqualTo(asked);
  }

  /**
   * Without what is said beside the types, and without what the record's schema cannot say; what is
   * required in one order.
   */
  private static JsonNode bare(JsonNode schema, JsonNode record) {
    if (schema.isArray()) {
      var all = JsonNodeFactory.instance.arrayNode();
      for (int i = 0; i < schema.size(); i++) {
        all.add(bare(schema.get(i), record.path(i)));
      }
      return all;
    }
    if (!schema.isObject()) {
      return schema;
    }
    ObjectNode bare = JsonNodeFactory.instance.objectNode();
    schema
        .properties()
        .forEach(one -> {
          String key = one.getKey();
          if (key.equals("properties")) {
            ObjectNode properties = bare.putObject("properties");
            one.getValue()
                .properties()
                .forEach(property ->
                    properties.set(
                        property.getKey(),
                        bare(property.getValue(), record.path(key).path(property.getKey()))));
          } else if (key.equals("required")) {
            TreeSet<String> names = new TreeSet<>();
            one.getValue().forEach(name -> names.add(name.asText()));
            names.forEach(bare.putArray("required")::add);
          } else if (key.equals("$ref")
              && TEXTS.contains(one.getValue().asText().replaceFirst(".*/", ""))) {
            bare.put("type", "string");
          } else if (!BESIDE.contains(key) && (record.has(key) || !NARROWER.contains(key))) {
            bare.set(key, bare(one.getValue(), record.path(key)));
          }
        });
    return bare;
  }
}
