package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.hurried;
import static dev.colony.inference.InferenceFixtures.request;
import static dev.colony.inference.InferenceFixtures.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that are slow, take few calls at once, or refuse what one call asks for. */
class SlowServersTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));
  private final List<ReplicaSet.Outcome> outcomes = new CopyOnWriteArrayList<>();
  private HttpInferenceGateway gateway;

  @AfterEach
  void stop() {
    gateway.close();
    server.close();
  }

  private void start(String... settings) {
    Config config = config(settings);
    gateway =
        new HttpInferenceGateway(
            hurried(config),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            "node",
            new Recorded(ReplicaSet.of(() -> List.of(new Replica("r", server.uri(), "node")))),
            ResidencyView.NONE,
            CallObserver.NONE,
            BacklogExchange.NONE);
  }

  /** Keeps what calls showed of their replica. */
  private final class Recorded implements ReplicaSet {
    private final ReplicaSet all;

    Recorded(ReplicaSet all) {
      this.all = all;
    }

    @Override
    public Collection<Replica> replicas() {
      return all.replicas();
    }

    @Override
    public Access access(String replica, boolean full, double reachSeconds) {
      return all.access(replica, full, reachSeconds);
    }

    @Override
    public void sent(String replica) {}

    @Override
    public void ended(String replica, Outcome outcome) {
      outcomes.add(outcome);
    }
  }

  private CompletableFuture<InferenceReply> ask(String id) {
    return gateway.complete(within(request(id), LONG));
  }

  private static InferenceException failure(CompletableFuture<?> call) {
    return (InferenceException) catchThrowable(call::join).getCause();
  }

  @Test
  void aServerThatWasTooSlowGetsMoreTimeForTheSameCall() {
    start("client.first-token-timeout = 100 ms", "gateway.max-attempts = 3");
    long from = System.nanoTime();
    server.chat(request -> Reply.eventsThenHang(": comment"));
    InferenceException failure = failure(ask("c"));
    assertThat(failure.kind()).isEqualTo(Kind.TIMEOUT);
    assertThat(failure).hasMessageContaining("began no reply within 400 ms");
    assertThat(server.chats()).hasSize(3);
    assertThat(Duration.ofNanos(System.nanoTime() - from))
        .as("there is no other: each is waited for twice")
        .isGreaterThanOrEqualTo(Duration.ofMillis(2 * (100 + 200 + 400)));
  }

  @Test
  void aServerIsSentAsManyCallsAsItSaysThatItHasSlots() {
    start();
    server.models(
        asked -> Reply.status(200, "{\"data\":[{\"id\":\"m\",\"owned_by\":\"llamacpp\"}]}"));
    server.others(asked -> Reply.status(200, "{\"total_slots\": 2, \"model_path\": \"m.gguf\"}"));
    server.chat(asked -> Reply.hang());
    List<CompletableFuture<InferenceReply>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      calls.add(ask("c" + i));
    }
    await().until(() -> server.chats().size() == 2 && gateway.waiting() == 3);
    calls.get(4).cancel(true);
    await().until(() -> gateway.waiting() == 2);
    assertThat(server.chats()).hasSize(2);
    calls.forEach(call -> call.cancel(true));
  }

  @Test
  void tenCallsThatItRefusesSayNothingAgainstTheServer() {
    start();
    server.chat(asked ->
        Reply.events(
            "data: {\"error\":{\"message\":\"Grammar error: Unimplemented keys:"
                + " [\\\"unevaluatedItems\\\"]\",\"type\":\"BadRequestError\",\"param\":null,"
                + "\"code\":400}}",
            "data: [DONE]"));
    for (int i = 0; i < 10; i++) {
      assertThat(failure(ask("c" + i)).kind()).isEqualTo(Kind.REFUSED);
    }
    assertThat(server.chats()).as("none is repeated").hasSize(10);
    assertThat(outcomes).hasSize(10).containsOnly(ReplicaSet.Outcome.SUCCEEDED);
  }
}
