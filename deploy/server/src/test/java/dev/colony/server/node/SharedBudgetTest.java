package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.client.session.BlackboardSpendStore;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.budget.SpendStore.Book;
import dev.colony.inference.budget.SpendStore.SpendAccounts;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.gateway.Spending;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.node.Started;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.EmbeddedReplicaSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateways of three nodes, each with its own way to one Redis, and one embedded replica. */
class SharedBudgetTest {

  private static final long BUDGET = 10_000;

  /** Of a call's prompt, about, and the most of its reply. */
  private static final int PROMPT = 300;

  private static final int REPLY = 40;

  private final Started started = new Started();
  private final Config config =
      LocalNodes.config(
          """
          colony.inference.budget { period = total, tenants.acme.session-tokens = %d }
          colony.inference.embedded.faults.controlled = true
          """
              .formatted(BUDGET));
  private final List<HttpInferenceGateway> nodes = new ArrayList<>();
  private URI server;
  private BlackboardSpendStore store;

  @BeforeEach
  void start() throws IOException {
    RedisServerProcess redis = LocalNodes.redis(started);
    EmbeddedReplica replica =
        started.add(EmbeddedReplica.start(EmbeddedReplicaSettings.fromConfig(config)));
    server = replica.uri();
    BudgetSettings budgets = BudgetSettings.fromConfig(config);
    for (int i = 0; i < 3; i++) {
      RedisConnections connections =
          started.add(new RedisConnections(redis.uri(), Duration.ofSeconds(20)));
      Blackboards blackboards =
          started.add(new RedisBlackboards(connections, BlackboardSettings.fromConfig(config)));
      store =
          new BlackboardSpendStore(
              blackboards,
              new Backoff(Duration.ofMillis(5), Duration.ofMillis(50)),
              budgets.keep());
      nodes.add(
          started.add(
              new HttpInferenceGateway(
                  GatewaySettings.fromConfig(config),
                  ModelCatalog.fromConfig(config),
                  RoutingSettings.fromConfig(config),
                  "node-" + i,
                  ReplicaSet.of(() -> List.of(new Replica("replica", server, "node-0"))),
                  ResidencyView.NONE,
                  CallObserver.NONE,
                  BacklogExchange.NONE,
                  new Spending(budgets, store, blackboards.clock()))));
    }
  }

  @AfterEach
  void stop() {
    started.close();
  }

  private static InferenceRequest call(int number) {
    String question = "The number is %d. Say it. ".formatted(number).repeat(PROMPT * 4 / 26);
    return InferenceRequest.of(
        "call-" + number,
        Prompt.of("You answer.", List.of(), question),
        ReplyForm.text(REPLY),
        CallContext.of("acme", Duration.ofSeconds(60)).session(Optional.of("lab/loop")));
  }

  private Spend spent() {
    String account = SpendAccounts.session("lab/loop");
    return store
        .spent(new Book.OfTenant("acme"), List.of(account))
        .toCompletableFuture()
        .join()
        .getOrDefault(account, Spend.NONE);
  }

  private void fault(String kind) throws Exception {
    HttpRequest put =
        HttpRequest.newBuilder(server.resolve("/colony/faults"))
            .PUT(BodyPublishers.ofString("{\"kind\":\"%s\",\"times\":1000000}".formatted(kind)))
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertThat(client.send(put, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }
  }

  /** Also where each reply is nonsense, or breaks off. */
  @ParameterizedTest
  @ValueSource(strings = {"none", "garbage", "die"})
  void aLoopIsStoppedWithinOneCallOfItsBudgetWhicheverNodeMakesTheCall(String fault)
      throws Exception {
    if (!fault.equals("none")) {
      fault(fault);
    }
    InferenceException end = null;
    int calls = 0;
    while (end == null || end.kind() != Kind.OUT_OF_BUDGET) {
      assertThat(calls).as("calls that end nothing").isLessThan(200);
      try {
        nodes.get(calls % 3).complete(call(calls)).join();
      } catch (CompletionException failed) {
        end = (InferenceException) failed.getCause();
      }
      calls++;
    }
    assertThat(end).hasMessage("session lab/loop has spent its budget of 10000 tokens");
    long before = spent().calls();
    await().until(() -> spent().calls() >= before);
    assertThat(spent().tokens()).isBetween(BUDGET, BUDGET + 2 * PROMPT + REPLY);
    assertThat(spent().calls()).isGreaterThan(BUDGET / (2 * PROMPT + REPLY));
  }
}
