package dev.colony.inference.replicas;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.inference.RealServers;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The KV events of a real vLLM, which itself says where it publishes them. */
@Tag("real")
class RealVllmTest {

  private static final Duration LONG = Duration.ofMinutes(3);

  private static RealServers vllm;

  @BeforeAll
  static void start() throws Exception {
    int events = freePort();
    vllm =
        RealServers.vllm(
            "--kv-events-config",
            """
            {"enable_kv_cache_events":true,"publisher":"zmq","topic":"kv",
             "endpoint":"tcp://*:%d","replay_endpoint":"tcp://127.0.0.1:%d"}
            """
                .formatted(events, freePort()));
  }

  @AfterAll
  static void stop() {
    if (vllm != null) {
      vllm.close();
    }
  }

  /** Those that were published before anyone followed come in a replay. */
  @Test
  void eventsAreFollowedFromTheFirstOn() throws Exception {
    vllm.ask("first " + "one two three four five six seven ".repeat(60));
    List<KvEvent> heard = new CopyOnWriteArrayList<>();
    URI uri = vllm.uri();
    try (ReplicaMonitor monitor =
        ReplicaMonitor.start(
            "",
            ReplicaSettings.fromConfig(config()),
            ReplicaMonitor.Bounds.USUAL.every(Duration.ofMillis(200)),
            Optional.of(ReplicaSource.of(List.of(uri))),
            List::of)) {
      monitor.listen(
          new ReplicaMonitor.Listener() {
            @Override
            public void events(String replica, List<KvEvent> events) {
              heard.addAll(events);
            }
          });
      int asked = 0;
      while (heard.isEmpty() && asked < 20) {
        // It is followed some time after it has said where; each prompt is another one.
        vllm.ask("again " + asked + " eight nine ten eleven twelve thirteen ".repeat(60));
        asked++;
      }
      await()
          .atMost(LONG)
          .untilAsserted(() ->
              assertThat(heard).filteredOn(KvEvent.Stored.class::isInstance).hasSizeGreaterThan(1));
      assertThat(heard).noneMatch(KvEvent.Missed.class::isInstance);
      assertThat(heard.getFirst())
          .isInstanceOfSatisfying(
              KvEvent.Stored.class, stored -> assertThat(stored.parent()).isEmpty());
    }
  }
}
