package dev.colony.inference.replicas;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigException;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicaSettingsTest {

  private static ReplicaSettings settings(String lines) {
    return ReplicaSettings.fromConfig(config(lines));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "servers = [\"gpu1:8000\"] | is gpu1:8000, but must be http://host:port or https",
        "dns = \"ftp://models\"    | is ftp://models, but must be http://host:port or https",
        "kv-events.port = 65536    | is 65536, but must be 0 to 65535",
        "kv-events.replay-port = -1 | is -1, but must be 0 to 65535",
        "eviction.control = pins   | is pins, but must be one of auto, hints, none, touches"
      })
  void aBadValueIsRefusedWithItsPathAndWhatIsAllowed(String line, String words) {
    assertThatThrownBy(() -> settings("replicas." + line))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.inference.replicas." + line.substring(0, line.indexOf(' ')))
        .hasMessageContaining(words);
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
        .hasMessageContaining("is b:8000, but must be");
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
