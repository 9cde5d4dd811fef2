package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.RealServers;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.gateway.CallRouter.Route;
import dev.colony.inference.gateway.CallRouter.Sent;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.UsageTally;
import dev.colony.inference.provider.ModelServer;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.EngineLoad;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import dev.colony.inference.replicas.PromptBlocks;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.ReplicaSource;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the router takes a real vLLM to hold, beside what the server counts itself: over a cache
 * that is too small for what is asked about, and through a restart of the server.
 */
@Tag("real")
class RealResidencyTest {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final int CALLS = 200;
  private static final int PAGES = 24;
  private static final int PAGE_WORDS = 560;
  private static final String BLOCKS = "320";
  private static final String[] WORDS =
      ("ship harbour captain cargo island weather north anchor letter morning bridge merchant"
              + " lantern market river stone")
          .split(" ");
  private static final String CACHED = "vllm:prompt_tokens_cached_total";
  private static final double MOST_APART = 0.02;

  private final AtomicInteger evicted = new AtomicInteger();
  private double believed;
  private double told;
  private double prompts;
  private double apart;

  @Test
  void hitsThatAreBelievedAreThoseThatTheServerCounts() throws Exception {
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    HttpClient http = ModelServer.httpClient(threads);
    try (RealServers vllm =
            RealServers.vllm(
                "--max-model-len",
                "4096",
                "--block-size",
                "32",
                "--num-gpu-blocks-override",
                BLOCKS,
                "--kv-events-config",
                """
                {"enable_kv_cache_events":true,"publisher":"zmq","topic":"kv",
                 "endpoint":"tcp://*:%d","replay_endpoint":"tcp://127.0.0.1:%d"}
                """
                    .formatted(freePort(), freePort()));
        ReplicaMonitor monitor =
            ReplicaMonitor.start(
                "",
                ReplicaSettings.fromConfig(config()),
                ReplicaMonitor.Bounds.USUAL.every(Duration.ofMillis(200)),
                Optional.of(ReplicaSource.of(List.of(vllm.uri()))),
                List::of)) {
      CallRouter router =
          new CallRouter(
              RoutingSettings.fromConfig(config()),
              ResidencyView.NONE,
              "test",
              monitor,
              System::nanoTime);
      monitor.listen(counting(router));
      ModelServer client = new ModelServer(vllm.uri(), ProviderSettings.fromConfig(config()), http);
      await().atMost(LONG).until(() -> monitor.replicas().size() == 1);
      String replica = monitor.replicas().iterator().next().id();
      Random random = new Random(1);
      followed(router, client, random);
      double counted = -vllm.figure(CACHED);
      for (int call = 0; call < CALLS; call++) {
        if (call == CALLS / 2) {
          counted += vllm.figure(CACHED);
          vllm.end();
          vllm.start();
          long[] first = router.blocks(request(0, 0)).chain();
          await().atMost(LONG).until(() -> router.held(replica, first) == 0);
        }
        ask(router, client, request(call, page(random)));
      }
      counted += vllm.figure(CACHED);
      System.err.printf(
          "%d calls, %.0f prompt tokens: believed %.0f, told %.0f, counted %.0f, apart call by call"
              + " %.0f; %d blocks evicted%n",
          CALLS, prompts, believed, told, counted, apart, evicted.get());
      assertThat(evicted.get()).as("blocks that the full cache has evicted").isPositive();
      assertThat(told).isEqualTo(counted);
      assertThat(believed).isCloseTo(counted, within(MOST_APART * counted));
    } finally {
      http.shutdownNow();
      threads.shutdownNow();
    }
  }

  private ReplicaMonitor.Listener counting(CallRouter router) {
    return new ReplicaMonitor.Listener() {
      @Override
      public void load(String replica, EngineLoad load) {
        router.load(replica, load);
      }

      @Override
      public void events(String replica, List<KvEvent> events) {
        for (KvEvent event : events) {
          if (event instanceof KvEvent.Removed removed) {
            evicted.addAndGet(removed.blocks().size());
          }
        }
        router.events(replica, events);
      }

      @Override
      public void restarted(String replica) {
        router.restarted(replica);
      }
    };
  }

  /** Asks until the events are followed, which they are some time after the first call. */
  private void followed(CallRouter router, ModelServer client, Random random) throws Exception {
    int call = CALLS;
    while (!router.status().getFirst().events()) {
      ask(router, client, request(call++, page(random)));
    }
    believed = 0;
    told = 0;
    prompts = 0;
    apart = 0;
  }

  /** A few are asked about often, the others seldom. */
  private static int page(Random random) {
    return (int) (PAGES * Math.pow(random.nextDouble(), 2));
  }

  private static InferenceRequest request(int call, int page) {
    StringBuilder text = new StringBuilder("Page " + page + ":");
    Random random = new Random(page);
    for (int word = 0; word < PAGE_WORDS; word++) {
      text.append(' ').append(WORDS[random.nextInt(WORDS.length)]);
    }
    return InferenceRequest.of(
        "c" + call,
        Prompt.of(
            "You answer from pages.",
            List.of(new PromptPage("p" + page, text.toString(), PAGE_WORDS)),
            "Question " + call + ": where does ship " + call * 7 + " lie?"),
        ReplyForm.text(1).cutAllowed(),
        CallContext.within(LONG));
  }

  private void ask(CallRouter router, ModelServer client, InferenceRequest request)
      throws InterruptedException {
    PromptBlocks blocks = router.blocks(request);
    Route route = router.send(request, blocks, "", Set.of(), one -> false, one -> true);
    Sent sent = ((Route.To) route).sent();
    sent.started();
    Answered answer =
        (Answered)
            client.complete(
                request, sent.replica().id(), LONG, part -> sent.part(), new UsageTally());
    sent.answered(answer.usage(), answer.cachedTokens());
    double expected = sent.cached(answer.usage().promptTokens());
    double cached = answer.cachedTokens().orElse(0);
    prompts += answer.usage().promptTokens();
    believed += expected;
    told += cached;
    apart += Math.abs(expected - cached);
  }
}
