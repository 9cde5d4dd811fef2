package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a server's cache holds is guessed from what it has answered. */
class EstimatedResidencyTest {

  private static final Config CONFIG = config();
  private static final EstimatedResidency.Bounds BOUNDS =
      new EstimatedResidency.Bounds(
          250, Duration.ofMillis(50), Duration.ofMillis(20), Duration.ofMillis(50));

  private final RecordingModelServer server = RecordingModelServer.start(r -> Reply.answer("x", 0));
  private final List<Map<String, Integer>> told = new CopyOnWriteArrayList<>();
  private EstimatedResidency residency;
  private HttpInferenceGateway gateway;

  @AfterEach
  void stop() {
    gateway.close();
    residency.close();
    server.close();
  }

  private void follow(Consumer<Map<String, Integer>> listener) {
    Replica replica = new Replica("r1", server.uri(), "n1");
    residency =
        new EstimatedResidency(replica, BOUNDS, ProviderSettings.fromConfig(CONFIG), listener);
    gateway =
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(CONFIG),
            ModelCatalog.fromConfig(CONFIG),
            RoutingSettings.fromConfig(CONFIG),
            "n1",
            ReplicaSet.of(() -> List.of(replica)),
            ResidencyView.NONE,
            residency,
            BacklogExchange.NONE);
  }

  @Test
  void thePagesOfTheLatestAnswersAreTold() {
    follow(told::add);
    assertThat(told).containsExactly(Map.of());
    ask("a");
    ask("b");
    assertThat(told.getLast()).containsOnlyKeys("a", "b");
    ask("c");
    assertThat(told.getLast()).containsOnlyKeys("b", "c");
    // Reported as a miss although it was taken to be resident.
    ask("b");
    assertThat(told.getLast()).containsOnlyKeys("c");
  }

  @Test
  void aServerThatIsLostHoldsNothing() {
    follow(told::add);
    ask("a");
    assertThat(told.getLast()).containsOnlyKeys("a");
    server.close();
    await().until(() -> told.getLast().isEmpty());
  }

  @Test
  void aListenerThatFailsHearsOfTheNextChange() {
    follow(pages -> {
      told.add(pages);
      throw new IllegalStateException("on purpose");
    });
    ask("a");
    assertThat(told).hasSize(2);
  }

  /** As llama-cpp-python's server would break off the stream. */
  @Test
  void aServerIsNotAskedWhileACallToItStreams() {
    server.chat(r -> Reply.eventsThenHang("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}"));
    follow(told::add);
    try (RecordingModelServer idle = RecordingModelServer.start(r -> Reply.answer("x"));
        EstimatedResidency other =
            new EstimatedResidency(
                new Replica("r2", idle.uri(), "n1"),
                BOUNDS,
                ProviderSettings.fromConfig(CONFIG),
                told::add)) {
      assertThat(other).as("it looks at the idle one").isNotNull();
      CompletableFuture<?> call = gateway.complete(request("a"));
      await().until(() -> server.chats().size() == 1);
      int before = server.requests().size();
      int rounds = idle.requests().size() + 10;
      await().until(() -> idle.requests().size() >= rounds);
      assertThat(server.requests()).as("but for one under way").hasSizeBetween(before, before + 1);
      call.cancel(true);
      await().until(() -> server.requests().size() > before + 1);
    }
  }

  private void ask(String page) {
    gateway.complete(request(page)).join();
  }

  private static InferenceRequest request(String page) {
    String text = ("int " + page + " = 0; ").repeat(50);
    return InferenceRequest.of(
        "call-" + page,
        Prompt.of("Answer.", List.of(new PromptPage(page, text, 100)), "Question: what?"),
        ReplyForm.text(20),
        CallContext.within(Duration.ofSeconds(20)));
  }
}
