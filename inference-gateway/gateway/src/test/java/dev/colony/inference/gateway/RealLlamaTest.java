package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.RealServers;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Usage;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real llama-cpp-python with room for 2,048 tokens, which nothing is said of but its address. */
@Tag("real")
class RealLlamaTest {

  private static final int CONTEXT = 2048;
  private static final Duration LONG = Duration.ofMinutes(3);

  /** Attempts at calls. */
  private static final AtomicInteger SENT = new AtomicInteger();

  private static RealServers llama;
  private static HttpInferenceGateway gateway;

  @BeforeAll
  static void start() throws Exception {
    llama = RealServers.llama(CONTEXT);
    Config config = config();
    gateway =
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(config),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            "test",
            ReplicaSet.of(() -> List.of(new Replica("llama", llama.uri(), "test"))),
            ResidencyView.NONE,
            new CallObserver() {
              @Override
              public void answered(
                  Replica replica, InferenceRequest request, Usage usage, OptionalLong cached) {}

              @Override
              public void sent(Replica replica, InferenceRequest request) {
                SENT.incrementAndGet();
              }
            },
            BacklogExchange.NONE);
  }

  @AfterAll
  static void stop() {
    if (gateway != null) {
      gateway.close();
    }
    if (llama != null) {
      llama.close();
    }
  }

  private static InferenceRequest call(String id, String words, ReplyForm form) {
    return InferenceRequest.of(
        id,
        Prompt.of("You answer in a few words.", List.of(), words),
        form,
        CallContext.within(LONG));
  }

  /** The server writes one at a time, and another request breaks a stream off. */
  @Test
  void callsAtOnceAreAllAnsweredInParts() {
    int before = SENT.get();
    List<InferenceDelta> parts = new CopyOnWriteArrayList<>();
    List<CompletableFuture<InferenceReply>> calls =
        IntStream.range(0, 4)
            .mapToObj(i ->
                gateway.complete(
                    call("c" + i, "What is a ship?", ReplyForm.text(12).cutAllowed()), parts::add))
            .toList();
    assertThat(calls)
        .allSatisfy(one -> assertThat(one.join().usage().completionTokens()).isPositive());
    assertThat(parts)
        .filteredOn(InferenceDelta.Text.class::isInstance)
        .hasSizeGreaterThan(calls.size());
    assertThat(SENT.get() - before).as("none was broken off").isEqualTo(calls.size());
  }

  @Test
  void aReplyIsHeldToItsSchema() {
    ReplyForm form =
        ReplyForm.text(64)
            .schema(
                Optional.of(
                    json(
                        """
                        {"type":"object","properties":{"deck":{"type":"integer"}},
                         "required":["deck"],"additionalProperties":false}
                        """)));
    InferenceReply reply = gateway.complete(call("s", "On which deck is the bow?", form)).join();
    assertThat(json(reply.text()).path("deck").isIntegralNumber()).as(reply.text()).isTrue();
  }

  @Test
  void aPromptThatIsTooLongIsRefusedWithTheLimit() {
    CompletableFuture<InferenceReply> call =
        gateway.complete(call("l", "ship and sea ".repeat(1500), ReplyForm.text(12)));
    InferenceException refused =
        (InferenceException) catchThrowableOfType(CompletionException.class, call::join).getCause();
    assertThat(refused.kind()).as(refused.getMessage()).isEqualTo(Kind.TOO_LONG);
    assertThat(refused.promptLength().orElseThrow().limitTokens()).hasValue(CONTEXT);
  }
}
