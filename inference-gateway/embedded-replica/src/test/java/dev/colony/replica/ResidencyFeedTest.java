package dev.colony.replica;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.catalog.ModelCatalog;
import dev.colony.inference.gateway.FeedSettings;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ResidencyFeed;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.routing.BacklogExchange;
import dev.colony.inference.routing.Replica;
import dev.colony.inference.routing.ResidencyReport;
import dev.colony.inference.routing.ResidencyReport.Page;
import dev.colony.inference.routing.ResidencyView;
import dev.colony.inference.routing.RoutingSettings;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResidencyFeedTest {

  private static final Config CONFIG =
      config(
          "feed.retry-delay = 20 ms",
          "feed.lost-after = 50 ms",
          "feed.estimated-recheck = 50 ms",
          "feed.estimated-capacity-tokens = 250");

  private final List<ResidencyReport> reports = new CopyOnWriteArrayList<>();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable closeable : opened.reversed()) {
      closeable.close();
    }
  }

  @Test
  void aPublishingReplicaIsFollowedThroughLoadsAndEvictions() {
    EmbeddedReplica replica =
        open(Replicas.start("inner", "capacity-blocks = 48", "context-tokens = 700"));
    HttpInferenceGateway gateway = follow(replica.uri());
    await().until(() -> last().isPresent());

    ask(gateway, "a");
    await().until(() -> lastIds().equals(List.of("a")));
    ask(gateway, "b");
    await().until(() -> lastIds().equals(List.of("a", "b")));
    ask(gateway, "c");
    await().until(() -> lastIds().equals(List.of("b", "c")));

    assertThat(reports).allSatisfy(r -> assertThat(r.replica()).isEqualTo("r1"));
    assertThat(reports).noneMatch(ResidencyReport::estimated);
    assertThat(reports.stream().map(ResidencyReport::version)).isSorted();
  }

  @Test
  void aLostReplicaHoldsNothingUntilItIsBack() throws Exception {
    int port = freePort();
    EmbeddedReplica first = Replicas.start("inner", "port = " + port);
    HttpInferenceGateway gateway = follow(first.uri());
    ask(gateway, "a");
    await().until(() -> lastIds().equals(List.of("a")));
    String incarnation = last().orElseThrow().incarnation();

    first.close();
    await().until(() -> lastIds().isEmpty());
    assertThat(last().orElseThrow().incarnation()).isEmpty();

    open(Replicas.start("inner", "port = " + port));
    ask(gateway, "b");
    await().until(() -> lastIds().equals(List.of("b")));
    assertThat(last().orElseThrow().incarnation()).isNotEqualTo(incarnation);
  }

  @Test
  void theResidencyOfAnyOtherServerIsEstimatedFromItsAnswers() {
    RecordingModelServer server = open(RecordingModelServer.start(r -> Reply.answer("x", 0)));
    HttpInferenceGateway gateway = follow(server.uri());
    await().until(() -> last().filter(ResidencyReport::estimated).isPresent());

    ask(gateway, "a");
    ask(gateway, "b");
    assertThat(lastIds()).containsExactly("a", "b");
    ask(gateway, "c");
    assertThat(lastIds()).containsExactly("b", "c");
    // Reported as a miss although it was taken to be resident.
    ask(gateway, "b");
    assertThat(lastIds()).containsExactly("c");
  }

  @Test
  void anEstimateIsForgottenWhenTheServerIsLost() {
    RecordingModelServer server = open(RecordingModelServer.start(r -> Reply.answer("x", 0)));
    HttpInferenceGateway gateway = follow(server.uri());
    await().until(() -> last().isPresent());
    ask(gateway, "a");
    assertThat(lastIds()).containsExactly("a");
    server.close();
    await().until(() -> lastIds().isEmpty());
  }

  @Test
  void aListenerThatFailsDoesNotEndTheFeed() {
    EmbeddedReplica replica = open(Replicas.start("inner"));
    Replica target = new Replica("r1", replica.uri(), "n1");
    List<ResidencyReport> heard = new CopyOnWriteArrayList<>();
    ResidencyFeed feed =
        open(
            ResidencyFeed.follow(
                target,
                FeedSettings.fromConfig(CONFIG),
                ProviderSettings.fromConfig(CONFIG),
                report -> {
                  heard.add(report);
                  throw new IllegalStateException("on purpose");
                }));
    HttpInferenceGateway gateway = gateway(target, feed);
    await().until(() -> heard.size() == 1);
    ask(gateway, "a");
    await().until(() -> heard.size() == 2);
  }

  private HttpInferenceGateway follow(URI uri) {
    Replica replica = new Replica("r1", uri, "n1");
    ResidencyFeed feed =
        open(
            ResidencyFeed.follow(
                replica,
                FeedSettings.fromConfig(CONFIG),
                ProviderSettings.fromConfig(CONFIG),
                reports::add));
    return gateway(replica, feed);
  }

  private HttpInferenceGateway gateway(Replica replica, ResidencyFeed feed) {
    return open(
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(CONFIG),
            ModelCatalog.fromConfig(CONFIG),
            RoutingSettings.fromConfig(CONFIG),
            "n1",
            ReplicaSet.of(() -> List.of(replica)),
            ResidencyView.NONE,
            feed,
            BacklogExchange.NONE));
  }

  private <T extends AutoCloseable> T open(T closeable) {
    opened.add(closeable);
    return closeable;
  }

  private static void ask(HttpInferenceGateway gateway, String page) {
    String text = ("int " + page + " = 0; ").repeat(50);
    InferenceReply reply =
        gateway
            .complete(
                InferenceRequest.of(
                    "call-" + page,
                    Prompt.of(
                        "Answer.", List.of(new PromptPage(page, text, 100)), "Question: what?"),
                    ReplyForm.text(20),
                    CallContext.within(Duration.ofSeconds(20))))
            .join();
    assertThat(reply.text()).isNotEmpty();
  }

  private Optional<ResidencyReport> last() {
    return reports.isEmpty() ? Optional.empty() : Optional.of(reports.getLast());
  }

  private List<String> lastIds() {
    return last().stream().flatMap(report -> report.pages().stream()).map(Page::id).toList();
  }
}
