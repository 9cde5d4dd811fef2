package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.RealServers;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Usage;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.ReplicaSource;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls at a real vLLM, and what it counts of them itself. */
@Tag("real")
class RealVllmCallsTest {

  private static final Duration LONG = Duration.ofMinutes(4);
  private static final String COUNTED = "vllm:prompt_tokens_total";
  private static final String CACHED = "vllm:prompt_tokens_cached_total";
  private static final String WRITTEN = "vllm:generation_tokens_total";
  private static final String RUNNING = "vllm:num_requests_running";

  private static RealServers vllm;

  private final AtomicInteger sent = new AtomicInteger();
  private ReplicaMonitor monitor;
  private HttpInferenceGateway gateway;

  @BeforeAll
  static void start() throws Exception {
    vllm = RealServers.vllm("--block-size", "32");
  }

  @AfterAll
  static void stop() {
    if (vllm != null) {
      vllm.close();
    }
  }

  @AfterEach
  void close() {
    gateway.close();
    monitor.close();
  }

  private void gateway(String... settings) {
    Config config = config(settings);
    monitor =
        ReplicaMonitor.start(
            "",
            ReplicaSettings.fromConfig(config),
            ReplicaMonitor.Bounds.USUAL,
            Optional.of(ReplicaSource.of(List.of(vllm.uri()))),
            List::of);
    gateway =
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(config),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            "test",
            monitor,
            ResidencyView.NONE,
            new CallObserver() {
              @Override
              public void answered(
                  Replica replica, InferenceRequest request, Usage usage, OptionalLong cached) {}

              @Override
              public void sent(Replica replica, InferenceRequest request) {
                sent.incrementAndGet();
              }
            },
            BacklogExchange.NONE);
  }

  private static InferenceRequest call(String id, String words, ReplyForm form) {
    return InferenceRequest.of(
        id, Prompt.of("You answer.", List.of(), words), form, CallContext.within(LONG));
  }

  /** A text of about so many tokens of this model, which no other text begins as. */
  private static String text(String first, int tokens) {
    StringBuilder text = new StringBuilder(first);
    for (int i = 0; i < tokens / 5; i++) {
      text.append(" harbour ").append(i);
    }
    return text.toString();
  }

  private double idle(String figure) throws Exception {
    await().atMost(LONG).until(() -> vllm.figure(RUNNING) == 0);
    return vllm.figure(figure);
  }

  @Test
  void promptThatTakesLongerThanTheTimeOutIsComputedOnce() throws Exception {
    gateway("client.first-token-timeout = 2 s");
    double before = idle(COUNTED);
    InferenceReply reply =
        gateway.complete(call("slow", text("slow", 5000), ReplyForm.text(4).cutAllowed())).join();
    // The server counts a prompt when its first token is there: not those that were broken off.
    double prompt = idle(COUNTED) - before;
    double booked = reply.usage().promptTokens() - reply.usage().cachedTokens();
    System.err.printf(
        "slow: %d attempts, booked %s, the prompt has %.0f%n", sent.get(), reply.usage(), prompt);
    assertThat(sent.get()).isLessThanOrEqualTo(4);
    assertThat(booked).as("what it computed, about once").isBetween(prompt * 0.5, prompt * 1.6);
  }

  @Test
  void tenantWithASaltOfItsOwnIsNeverServedFromTheCacheOfAnother() throws Exception {
    gateway("gateway.tenant-salt-key = \"sixteen characters of a key\"");
    String prompt = text("salted", 600);
    List<Long> cached = new ArrayList<>();
    double before = idle(CACHED);
    for (String tenant : List.of("one", "two", "one", "two")) {
      InferenceRequest request =
          call("salt-" + cached.size(), prompt, ReplyForm.text(1).cutAllowed())
              .context(CallContext.of(tenant, LONG));
      cached.add(gateway.complete(request).join().usage().cachedTokens());
    }
    assertThat(cached.subList(0, 2)).containsExactly(0L, 0L);
    assertThat(cached.subList(2, 4)).allSatisfy(own -> assertThat(own).isGreaterThan(400));
    assertThat(idle(CACHED) - before).isEqualTo(cached.stream().mapToLong(Long::longValue).sum());
  }

  @Test
  void tenCallsWithSchemasThatItCannotHoldLeaveEveryCircuitClosed() {
    gateway();
    for (int i = 0; i < 10; i++) {
      String schema =
          """
          {"type":"object","required":["n%d"],"additionalProperties":false,
           "properties":{"n%d":{"type":"array","maxItems":2,"uniqueItems":true,
             "contains":{"const":1},"items":{"type":"integer","multipleOf":3}}}}
          """
              .formatted(i, i);
      catchThrowable(
          gateway.complete(call("schema-" + i, "Three numbers.", ReplyForm.json(json(schema), 8)))
              ::join);
    }
    assertThat(sent.get()).isGreaterThanOrEqualTo(10);
    assertThat(gateway.replicaStatus())
        .singleElement()
        .satisfies(one -> assertThat(one.state()).isEqualTo("serving"));
  }

  @Test
  void cancelledCallIsGone() throws Exception {
    gateway();
    idle(RUNNING);
    CompletableFuture<InferenceReply> call =
        gateway.complete(call("cancelled", "Tell a long tale.", ReplyForm.text(2000).cutAllowed()));
    await().atMost(LONG).until(() -> vllm.figure(RUNNING) == 1);
    call.cancel(true);
    long from = System.nanoTime();
    await().atMost(Duration.ofSeconds(30)).until(() -> vllm.figure(RUNNING) == 0);
    System.err.printf("cancelled: gone after %.2f s%n", (System.nanoTime() - from) / 1e9);
  }

  /** With 24 tokens and then four times as many it would have written 120. */
  @Test
  void replyThatIsCutIsNotPaidTwice() throws Exception {
    gateway();
    String schema =
        """
        {"type":"object","required":["tale"],"additionalProperties":false,
         "properties":{"tale":{"type":"string","maxLength":400}}}
        """;
    assertThat(written("cut", schema, 24)).isLessThanOrEqualTo(96);
  }

  /** The grammar leaves it nothing else to write. */
  @Test
  void loopIsEndedByTheServer() throws Exception {
    gateway();
    String schema =
        """
        {"type":"string","pattern":"^(ship ){300}$"}
        """;
    assertThat(written("loop", schema, 500)).isLessThan(250);
  }

  /** How many tokens the server writes for a call, whatever comes of it. */
  private double written(String id, String schema, int maxTokens) throws Exception {
    double before = idle(WRITTEN);
    ReplyForm form = ReplyForm.json(json(schema), maxTokens).unrepaired();
    Throwable failed = catchThrowable(gateway.complete(call(id, "Tell of a ship.", form))::join);
    double written = idle(WRITTEN) - before;
    System.err.printf("%s: %.0f tokens, %s%n", id, written, failed);
    return written;
  }
}
