package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static dev.colony.inference.InferenceFixtures.hurried;
import static dev.colony.inference.InferenceFixtures.json;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.typesafe.config.Config;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.ModelCatalog.ModelEntry;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.RoutingSettings;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Calls ask for models by name or by tags, and others stand in for those that are not there. */
class SeveralModelsTest {

  private final RecordingModelServer plain = answering("plain");
  private final RecordingModelServer large = answering("large");
  private final RecordingModelServer small = answering("small");
  private final List<AutoCloseable> opened = new ArrayList<>(List.of(plain, large, small));

  private final Logger logger = (Logger) LoggerFactory.getLogger(RoutedCall.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Queue<String> stoodIn = new ConcurrentLinkedQueue<>();
  private final CallObserver fallbacks =
      CallObserver.NONE.and(
          new CallObserver() {
            @Override
            public void answered(
                Replica replica, InferenceRequest request, Usage usage, OptionalLong cached) {}

            @Override
            public void fellBack(String from, String to, Optional<Kind> why) {
              stoodIn.add(from + " by " + to + ": " + why.map(Kind::name).orElse("not available"));
            }
          });

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
  }

  private List<String> told() {
    return log.list.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static RecordingModelServer answering(String text) {
    return RecordingModelServer.start(r -> Reply.answer(text));
  }

  @AfterEach
  void stop() throws Exception {
    logger.detachAppender(log);
    for (AutoCloseable closeable : opened) {
      closeable.close();
    }
  }

  /** The models whose replicas may hold what an agent needs that asks for the first. */
  private static List<String> caches(HttpInferenceGateway gateway) {
    PromptCaches caches = gateway.promptCaches().orElseThrow();
    Set<String> excluded = caches.excluded(ModelChoice.named("large"));
    return gateway.replicas().stream()
        .filter(one -> !excluded.contains(one.id()))
        .map(Replica::model)
        .toList();
  }

  private HttpInferenceGateway gateway(String... lines) {
    return gateway(large.uri(), lines);
  }

  /**
   * @param first where the model large is
   */
  private HttpInferenceGateway gateway(URI first, String... lines) {
    Config config =
        config(
            """
            models {
              large { url = "%s", model = big-1, tags = [smart], fallbacks = [small]
                budget.prompt = 2, headers { X-For = large } }
              small { url = "%s", tags = [smart, fast], budget.prompt = 1 }
            }
            """
                .formatted(first, small.uri()),
            String.join("\n", lines));
    ModelCatalog catalog = ModelCatalog.fromConfig(config);
    List<ReplicaSet> sets = new ArrayList<>();
    sets.add(ReplicaSet.of(() -> List.of(new Replica("own", plain.uri(), "node"))));
    for (ModelEntry model : catalog.models().values()) {
      ReplicaMonitor monitor =
          ReplicaMonitor.start(
              model.name(), model.replicas(), model.replicas().source(name -> null).orElseThrow());
      opened.addFirst(monitor);
      sets.add(monitor);
    }
    HttpInferenceGateway gateway =
        new HttpInferenceGateway(
            hurried(config),
            catalog,
            RoutingSettings.fromConfig(config),
            "node",
            ReplicaSet.joined(sets),
            page -> Set.of(),
            fallbacks,
            BacklogExchange.NONE);
    opened.addFirst(gateway);
    return gateway;
  }

  private static InferenceReply ask(HttpInferenceGateway gateway, ModelChoice choice) {
    return gateway.complete(request("c").model(choice)).join();
  }

  private static String model(RecordingModelServer.Recorded chat) {
    return json(chat.body()).path("model").asText();
  }

  private static InferenceException failure(HttpInferenceGateway gateway, ModelChoice choice) {
    CompletionException failure =
        catchThrowableOfType(CompletionException.class, () -> ask(gateway, choice));
    return (InferenceException) failure.getCause();
  }

  @Test
  void eachCallIsAnsweredByTheModelThatItChooses() {
    HttpInferenceGateway gateway = gateway();
    InferenceReply unnamed = ask(gateway, ModelChoice.DEFAULT);
    assertThat(unnamed.text()).isEqualTo("plain");
    assertThat(unnamed.entry()).isEmpty();
    InferenceReply named = ask(gateway, ModelChoice.named("large"));
    assertThat(named.text()).isEqualTo("large");
    assertThat(named.entry()).isEqualTo("large");
    assertThat(named.replica()).isEqualTo("large@" + large.uri().getAuthority());
    assertThat(model(large.chats().getFirst())).isEqualTo("big-1");
    assertThat(large.chats().getFirst().headers()).containsEntry("x-for", "large");
    InferenceReply tagged = ask(gateway, ModelChoice.tagged("smart"));
    assertThat(tagged.entry()).as("the cheapest").isEqualTo("small");
    assertThat(small.chats().getFirst().headers()).doesNotContainKey("x-for");
    assertThat(stoodIn).isEmpty();
    assertThat(ask(gateway, ModelChoice.tagged("smart", "fast")).entry()).isEqualTo("small");
  }

  @Test
  void theDefaultMayBeOneOfThem() {
    HttpInferenceGateway gateway = gateway("default-model = large");
    assertThat(ask(gateway, ModelChoice.DEFAULT).entry()).isEqualTo("large");
    assertThat(plain.chats()).isEmpty();
  }

  @Test
  void oneServerMayServeSeveralModels() {
    HttpInferenceGateway gateway =
        gateway(small.uri(), "models.small { model = little-1, context-tokens = 9000 }");
    ask(gateway, ModelChoice.named("large"));
    ask(gateway, ModelChoice.named("small"));
    assertThat(small.chats())
        .extracting(SeveralModelsTest::model)
        .containsExactly("big-1", "little-1");
  }

  @Test
  void whatNoModelIsIsRefusedWithoutAskingAny() {
    InferenceException refused = failure(gateway(), ModelChoice.named("huge"));
    assertThat(refused.kind()).isEqualTo(Kind.REFUSED);
    assertThat(refused).hasMessageStartingWith("no model huge is configured; these are: large");
    assertThat(plain.chats()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "500, '', 4, SERVER_ERROR",
    "429, '', 3, OVERLOADED",
    "429, insufficient_quota, 1, QUOTA",
    "402, '', 1, QUOTA",
  })
  void anotherAnswersWhereAModelIsNotAvailable(int status, String code, int asked, String why) {
    large.chat(r -> Reply.status(status, "{\"error\": {\"code\": \"" + code + "\"}}"));
    InferenceReply reply = ask(gateway(), ModelChoice.named("large"));
    assertThat(reply.entry()).isEqualTo("small");
    assertThat(large.chats()).hasSize(asked);
    assertThat(small.chats()).hasSize(1);
    assertThat(stoodIn).containsExactly("large by small: " + why);
    assertThat(told())
        .singleElement(as(STRING))
        .startsWith("call c: small answered in place of large: " + large.uri())
        .contains("answered " + status);
  }

  @Test
  void anotherAnswersWhereNoServerDoes() {
    HttpInferenceGateway gateway = gateway(URI.create("http://127.0.0.1:" + freePort()));
    assertThat(ask(gateway, ModelChoice.named("large")).entry()).isEqualTo("small");
  }

  @Test
  void anotherAnswersWhatIsTooLong() {
    HttpInferenceGateway gateway = gateway("models.large.context-tokens = 10");
    InferenceReply reply =
        gateway.complete(request("c", "p", "q").model(ModelChoice.named("large"))).join();
    assertThat(reply.entry()).isEqualTo("small");
    assertThat(large.chats()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"400", "401", "404"})
  void aRefusalIsNotHiddenByAnother(int status) {
    large.chat(r -> Reply.status(status, ""));
    assertThat(failure(gateway(), ModelChoice.named("large")).kind()).isEqualTo(Kind.REFUSED);
    assertThat(small.chats()).isEmpty();
  }

  /** The circuit of the first is open: its server is left alone. */
  @Test
  void aModelWhoseServersAreNotWellIsPassedOver() {
    large.chat(r -> Reply.status(500, ""));
    HttpInferenceGateway gateway = gateway();
    // The circuit opens at the fifth failure: the first call has four attempts.
    ask(gateway, ModelChoice.named("large"));
    ask(gateway, ModelChoice.named("large"));
    int asked = large.chats().size();
    InferenceReply reply = ask(gateway, ModelChoice.named("large"));
    assertThat(reply.entry()).isEqualTo("small");
    assertThat(large.chats()).hasSize(asked);
    assertThat(stoodIn)
        .containsExactly(
            "large by small: SERVER_ERROR",
            "large by small: SERVER_ERROR",
            "large by small: not available");
    assertThat(told().getLast())
        .isEqualTo("call c: small answered in place of large: its servers are not available");
    assertThat(caches(gateway)).as("and its caches count").containsExactly("small");
    assertThat(caches(gateway())).as("while the first is well").containsExactly("large");
  }

  /** Where none is well, those that were asked for are tried, in their order. */
  @Test
  void theLastModelsFailureIsTold() {
    large.chat(r -> Reply.status(500, ""));
    small.chat(r -> Reply.status(400, "{\"error\": {\"message\": \"small says no\"}}"));
    InferenceException failure = failure(gateway(), ModelChoice.named("large"));
    assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
    assertThat(failure).hasMessageContaining("small says no");
    assertThat(stoodIn).as("none has answered").isEmpty();
    assertThat(told()).isEmpty();
  }

  @Test
  void theGatewaySaysWhichModelsThereAre() {
    HttpInferenceGateway gateway = gateway("models.large.context-tokens = 9000");
    assertThat(gateway.models())
        .extracting(OfferedModel::name)
        .containsExactly("", "large", "small");
    OfferedModel before = gateway.models().get(1);
    assertThat(before.served()).isEqualTo("big-1");
    assertThat(before.contextTokens()).hasValue(9000);
    assertThat(before.tags()).containsExactly("smart");
    assertThat(before.fallbacks()).containsExactly("small");
    assertThat(before.usual()).isFalse();
    assertThat(gateway.models().getFirst().served()).isEmpty();
    assertThat(gateway.models().getFirst().usual()).isTrue();
    ask(gateway, ModelChoice.DEFAULT);
    assertThat(gateway.models().getFirst().served()).isEqualTo(RecordingModelServer.MODEL);
  }
}
