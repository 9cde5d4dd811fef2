package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentState;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.client.AgentStatus;
import dev.colony.agent.client.Session;
import dev.colony.agent.view.ForkReply;
import dev.colony.agent.view.HistoryPage;
import dev.colony.agent.view.StateAt;
import dev.colony.client.spend.TenantSpending;
import dev.colony.client.wire.AcceptedRun;
import dev.colony.client.wire.FoundRun;
import dev.colony.client.wire.PendingApprovals;
import dev.colony.client.wire.Problem;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.RunEvent;
import dev.colony.client.wire.RunRequestBody;
import dev.colony.client.wire.RunState;
import dev.colony.client.wire.SessionPages.SessionPage;
import dev.colony.client.wire.SessionPages.SessionRunPage;
import dev.colony.server.agents.AgentViews.AgentDetails;
import dev.colony.server.agents.AgentViews.AgentPage;
import dev.colony.server.agents.AgentViews.DeadLetterPage;
import dev.colony.server.agents.AgentViews.LostEventsPage;
import dev.colony.server.agents.AgentViews.PurgedAgents;
import dev.colony.server.agents.AgentViews.PurgedRuns;
import dev.colony.server.agents.StoreStatus.StoreView;
import dev.colony.server.board.BoardViews.BoardEvent;
import dev.colony.server.board.BoardViews.EntryViewPage;
import dev.colony.server.board.BoardViews.ScopePage;
import dev.colony.server.http.ClusterViews.ClusterView;
import dev.colony.server.http.ClusterViews.PagesView;
import dev.colony.server.http.PageViews.MapPagesView;
import dev.colony.server.http.PageViews.PageFaultsView;
import dev.colony.server.http.PageViews.PageGraphStatistics;
import dev.colony.server.http.PageViews.PageGraphView;
import dev.colony.server.http.PageViews.PageLocksView;
import dev.colony.server.http.PageViews.PageTableView;
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
                  ForkReply.class,
                  FoundRun.class,
                  HistoryPage.class,
                  MapPagesView.class,
                  LostEventsPage.class,
                  PendingApprovals.class,
                  PageFaultsView.class,
                  PageGraphStatistics.class,
                  PageGraphView.class,
                  PageLocksView.class,
                  PageTableView.class,
                  PagesView.class,
                  Problem.class,
                  PurgedAgents.class,
                  PurgedRuns.class,
                  ReplyPart.class,
                  RunEvent.class,
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
   * Of values whose JSON is written by hand or is OpenAI's, of two bodies in one, and of streams.
   */
  private static final Set<String> BY_HAND =
      Set.of(
          "OpenAiError",
          "ChatCompletionRequest",
          "ResponseRequest",
          "OpenAiExtension",
          "ChatCompletion",
          "Response",
          "Model",
          "ModelList",
          "AgentBlueprint",
          "BlueprintChange",
          "Blueprint",
          "ResumptionCondition",
          "EventBatch",
          "SpawnAndRunRequest",
          "JsonRpcError",
          "JsonRpcMessage",
          "RunEventStream",
          "PartStream",
          "PartOfAnswer",
          "EndOfParts",
          "BoardEventStream",
          "ProgressOfRun",
          "EndOfRun",
          "ProgressOfBoard",
          "ProblemOfStream");

  /** For people, or narrower than a type can say. */
  private static final Set<String> BESIDE = Set.of("description", "pattern", "minimum", "example");

  static Map<String, JsonNode> described() {
    Map<String, JsonNode> schemas = new TreeMap<>();
    OpenApi.DOCUMENT
        .schemas()
        .properties()
        .forEach(schema -> schemas.put(schema.getKey(), bare(schema.getValue())));
    return schemas;
  }

  @Test
  void eachSchemaHasTheComponentsOfItsRecord() {
    Map<String, JsonNode> records = new RecordSchemas(ROOTS).all();
    Map<String, JsonNode> described = described();
    assertThat(described.keySet())
        .isEqualTo(
            Stream.concat(records.keySet().stream(), BY_HAND.stream())
                .collect(Collectors.toCollection(TreeSet::new)));
    records.forEach(
        (name, schema) -> assertThat(described.get(name)).as(name).isEqualTo(bare(schema)));
  }

  @Test
  void theEventsOfAStreamAreThoseThatTheServerSends() {
    Set<String> sent = Set.of(ServerEvent.PROGRESS, ServerEvent.END, ServerEvent.PROBLEM);
    assertThat(events("RunEventStream")).isEqualTo(sent);
    assertThat(events("PartStream"))
        .isEqualTo(Set.of(ServerEvent.PART, ServerEvent.END, ServerEvent.PROBLEM));
    assertThat(events("BoardEventStream"))
        .isEqualTo(Set.of(ServerEvent.PROGRESS, ServerEvent.PROBLEM));
  }

  private static Set<String> events(String stream) {
    return OpenApi.DOCUMENT
        .schemas()
        .path(stream)
        .path("items")
        .path("oneOf")
        .valueStream()
        .map(OpenApi.DOCUMENT::resolve)
        .map(event -> event.path("properties").path("event").path("const").asText())
        .collect(Collectors.toSet());
  }

  /** Without what is said beside the types; what is required in one order. */
  private static JsonNode bare(JsonNode schema) {
    if (schema.isArray()) {
      var all = com.fasterxml.jackson.databind.node.JsonNodeFactory.instance.arrayNode();
      schema.forEach(one -> all.add(bare(one)));
      return all;
    }
    if (!schema.isObject()) {
      return schema;
    }
    ObjectNode bare = com.fasterxml.jackson.databind.node.JsonNodeFactory.instance.objectNode();
    schema
        .properties()
        .forEach(one -> {
          if (one.getKey().equals("properties")) {
            ObjectNode properties = bare.putObject("properties");
            one.getValue()
                .properties()
                .forEach(property -> properties.set(property.getKey(), bare(property.getValue())));
          } else if (one.getKey().equals("required")) {
            TreeSet<String> names = new TreeSet<>();
            one.getValue().forEach(name -> names.add(name.asText()));
            names.forEach(bare.putArray("required")::add);
          } else if (!BESIDE.contains(one.getKey())) {
            bare.set(one.getKey(), bare(one.getValue()));
          }
        });
    return bare;
  }
}
