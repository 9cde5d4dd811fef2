package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.hurried;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.Clearances;
import dev.colony.vcm.schedule.Sensitivity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** No page reaches a replica that may not hold it. */
class PageClearanceTest {

  private static final Clearances CLEARANCES =
      new Clearances(
          Map.of(),
          Sensitivity.RESTRICTED,
          Map.of("a", Sensitivity.INTERNAL),
          Sensitivity.CONFIDENTIAL);

  /** Pages are always resident where they may not be, which makes that replica the best. */
  private static final ResidencyView VIEW =
      new ResidencyView() {
        @Override
        public Set<String> replicasOf(String page) {
          return Set.of("a");
        }

        @Override
        public boolean mayHold(Replica replica, Sensitivity page) {
          return CLEARANCES.mayHold(replica.id(), replica.baseUri().toString(), page);
        }
      };

  private final RecordingModelServer a = RecordingModelServer.start(r -> Reply.answer("from a"));
  private final List<AutoCloseable> opened = new ArrayList<>(List.of(a));

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable closeable : opened) {
      closeable.close();
    }
  }

  private static InferenceRequest request(Sensitivity... pages) {
    return InferenceRequest.of(
        "call-" + Arrays.toString(pages),
        Prompt.of(
            "Answer.",
            Arrays.stream(pages)
                .map(page -> new PromptPage("p-" + page.word(), "text " + page, 10, page))
                .toList(),
            "Question: what?"),
        ReplyForm.text(50),
        CallContext.within(Duration.ofSeconds(10)));
  }

  private HttpInferenceGateway gateway(Replica... replicas) {
    Config config = config();
    HttpInferenceGateway gateway =
        new HttpInferenceGateway(
            hurried(config),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            "node-a",
            ReplicaSet.of(() -> List.of(replicas)),
            VIEW,
            CallObserver.NONE,
            BacklogExchange.NONE);
    opened.addFirst(gateway);
    return gateway;
  }

  @Test
  void aPromptGoesOnlyWhereEachOfItsPagesMayBe() {
    RecordingModelServer b = RecordingModelServer.start(r -> Reply.answer("from b"));
    opened.add(b);
    HttpInferenceGateway gateway =
        gateway(new Replica("a", a.uri(), "node-a"), new Replica("b", b.uri(), "node-b"));
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 100; i++) {
      Sensitivity[] pages =
          random
              .ints(1 + random.nextInt(3), 0, Sensitivity.CONFIDENTIAL.ordinal() + 1)
              .mapToObj(one -> Sensitivity.values()[one])
              .toArray(Sensitivity[]::new);
      String replica = gateway.complete(request(pages)).join().replica();
      if (Arrays.asList(pages).contains(Sensitivity.CONFIDENTIAL)) {
        assertThat(replica).as(Arrays.toString(pages)).isEqualTo("b");
      }
    }
    assertThat(a.chats())
        .as("what it may hold goes there, where it is resident")
        .isNotEmpty()
        .noneMatch(chat -> chat.body().contains("text CONFIDENTIAL"));
  }

  @Test
  void whereNoneMayHoldAPageTheCallIsRefusedByName() {
    HttpInferenceGateway gateway = gateway(new Replica("a", a.uri(), "node-a"));

    CompletionException failure =
        catchThrowableOfType(
            CompletionException.class,
            () -> gateway.complete(request(Sensitivity.PUBLIC, Sensitivity.RESTRICTED)).join());
    InferenceException refused = (InferenceException) failure.getCause();
    assertThat(refused.kind()).isEqualTo(Kind.REFUSED);
    assertThat(refused)
        .hasMessage(
            "page p-restricted is restricted, and no replica may hold it: see"
                + " colony.vcm.access.replicas");
    assertThat(a.chats()).isEmpty();
  }
}
