package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.hurried;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.EmbeddingReply;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.budget.InMemorySpendStore;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Texts that are embedded, over HTTP. */
class EmbeddingCallTest {

  private static final String EMBEDDED =
      "{\"object\":\"list\",\"model\":\"bge-small\",\"data\":[{\"object\":\"embedding\","
          + "\"index\":0,\"embedding\":[0.5,-1.25]}],\"usage\":"
          + "{\"prompt_tokens\":40,\"total_tokens\":40}}";

  private final RecordingModelServer server =
      RecordingModelServer.start(call -> Reply.answer("no embedding"));
  private final InMemorySpendStore store = new InMemorySpendStore(() -> Instant.EPOCH);
  private final HttpInferenceGateway gateway = gateway();

  private HttpInferenceGateway gateway() {
    Config config =
        config(
            "budget { period = total, tenants { acme.tokens = 60 } }",
            "models.vectors { url = \"" + server.uri() + "\", fallbacks = [words] }",
            "models.words.url = \"" + server.uri() + "\"");
    return new HttpInferenceGateway(
        hurried(config),
        ModelCatalog.fromConfig(config),
        RoutingSettings.fromConfig(config),
        "node-0",
        ReplicaSet.of(() ->
            List.of(
                new Replica("v", server.uri(), "node-0", "vectors"),
                new Replica("w", server.uri(), "node-0", "words"))),
        ResidencyView.NONE,
        CallObserver.NONE,
        BacklogExchange.NONE,
        new Spending(BudgetSettings.fromConfig(config), store, () -> Instant.EPOCH));
  }

  @AfterEach
  void stop() {
    gateway.close();
    server.close();
  }

  private static InferenceRequest texts(String id) {
    return request(id)
        .model(ModelChoice.named("vectors"))
        .context(CallContext.of("acme", Duration.ofSeconds(20)))
        .extraFields(Map.of("input", TextNode.valueOf("bow")));
  }

  private List<Recorded> asked() {
    return server.requests().stream().filter(one -> one.path().endsWith("/embeddings")).toList();
  }

  @Test
  void theServerIsAskedForTheModelOfItsListThatEmbedsAndAgainWhereItFails() throws Exception {
    server.models(
        call -> Reply.status(200, "{\"data\":[{\"id\":\"llama\"},{\"id\":\"bge-small\"}]}"));
    server.others(
        call -> asked().size() < 2 ? Reply.status(503, "{}") : Reply.status(200, EMBEDDED));
    EmbeddingReply reply = gateway.embed(texts("c-1")).get();
    assertThat(reply.data())
        .hasToString("[{\"object\":\"embedding\",\"index\":0,\"embedding\":[0.5,-1.25]}]");
    assertThat(reply.model()).isEqualTo("bge-small");
    assertThat(reply.usage().promptTokens()).isEqualTo(40);
    assertThat(asked())
        .hasSize(2)
        .allSatisfy(one -> {
          assertThat(one.path()).isEqualTo("/v1/embeddings");
          assertThat(one.json()).hasToString("{\"model\":\"bge-small\",\"input\":\"bow\"}");
        });
  }

  @Test
  void itIsHeldToTheBudgetOfItsTenant() throws Exception {
    server.others(call -> Reply.status(200, EMBEDDED));
    gateway.embed(texts("c-1")).get();
    gateway.embed(texts("c-2")).get();
    assertThat(failure(texts("c-3"))).isEqualTo(Kind.OUT_OF_BUDGET);
    assertThat(asked()).hasSize(2);
  }

  /** Its numbers would mean something else. */
  @Test
  void noOtherModelStandsInForOneThatFails() {
    server.others(call -> Reply.status(500, "{}"));
    assertThat(failure(texts("c-1"))).isEqualTo(Kind.SERVER_ERROR);
    assertThat(server.requests()).noneMatch(one -> one.path().endsWith("/completions"));
    assertThat(asked()).isNotEmpty();
  }

  @Test
  void aServerWithoutEmbeddingsRefuses() {
    server.others(call -> Reply.status(501, "{}"));
    assertThat(failure(texts("c-1"))).isEqualTo(Kind.REFUSED);
    assertThat(asked()).hasSize(1);
  }

  private Kind failure(InferenceRequest request) {
    CompletionException failure =
        catchThrowableOfType(CompletionException.class, () -> gateway.embed(request).join());
    return ((InferenceException) failure.getCause()).kind();
  }
}
