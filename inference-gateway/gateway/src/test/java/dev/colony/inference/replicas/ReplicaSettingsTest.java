package dev.colony.inference.replicas;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplicaSettingsTest {

  private static ReplicaSettings settings(String lines) {
    return ReplicaSettings.fromConfig(config(lines));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "replicas.servers = [\"gpu1:8000\"]",
        "replicas.dns = \"ftp://models\"",
        "replicas.refresh = 1 ms",
        "replicas.check-interval = 0 s",
        "replicas.check-timeout = 2 h",
        "replicas.failed-checks = 0",
        "replicas.passed-checks = 0",
        "replicas.slow-start = -1 s",
        "replicas.breaker.failures = 0",
        "replicas.breaker.open = 0 s",
        "replicas.breaker.open-max = 1 s",
        "replicas.breaker.trials = 0",
        "replicas.metrics-interval = 1 ms",
        "replicas.max-metrics-bytes = 0",
        "replicas.kv-events.port = 65536",
        "replicas.kv-events.replay-port = -1",
        "replicas.kv-events.high-water = 0",
        "replicas.kv-events.replay-timeout = 2 minutes",
        "replicas.eviction.control = pins",
        "replicas.eviction.touches-per-second = 0",
        "replicas.eviction.max-waiting = 0"
      })
  void aBadValueIsRefusedWithItsPathAndWhatIsAllowed(String line) {
    String key = line.substring(0, line.indexOf(' '));
    Config config = config(line);
    assertThatThrownBy(() -> ReplicaSettings.fromConfig(config))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("colony.inference." + key + " = ")
        .hasMessageContaining("allowed is");
  }

  @Test
  void oneSourceAtMost() {
    assertThatThrownBy(() -> settings("replicas { servers = [\"http://a\"], dns = \"http://b\" }"))
        .hasMessageContaining("only one may be given");
    assertThat(settings("").source(name -> null)).isEmpty();
    assertThat(settings("replicas.dns = \"http://b\"").source(name -> null))
        .containsInstanceOf(DnsSource.class);
    ReplicaSource own = java.util.List::of;
    assertThat(settings("replicas.kubernetes = \"models:80\"").source(name -> own)).contains(own);
  }

  /** The environment has no lists. */
  @Test
  void serversMayStandInOneText() throws Exception {
    assertThat(
            settings("replicas.servers = \"http://a:8000/v1, http://b:8000/v1\"")
                .source(name -> null)
                .orElseThrow()
                .replicas())
        .containsExactly(
            ReplicaSource.Address.of(URI.create("http://a:8000/v1")),
            ReplicaSource.Address.of(URI.create("http://b:8000/v1")));
    assertThat(settings("replicas.servers = \"\"").listed()).isFalse();
    assertThatThrownBy(() -> settings("replicas.servers = \"http://a:8000/v1,b:8000\""))
        .hasMessageContaining("servers = b:8000 is no address");
  }

  @Test
  void eventsArePublishedBesideTheApi() {
    URI replica = URI.create("http://gpu1:8000/v1");
    assertThat(settings("").kvEvents(replica)).isEmpty();
    KvEventFeed.Settings events =
        settings("replicas.kv-events { port = 5557, replay-port = 5558 }")
            .kvEvents(replica)
            .orElseThrow();
    assertThat(events.events()).isEqualTo(URI.create("tcp://gpu1:5557"));
    assertThat(events.replay()).isEqualTo(Optional.of(URI.create("tcp://gpu1:5558")));
  }
}
