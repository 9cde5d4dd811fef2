package dev.colony.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedReplicaSettingsTest {

  @Test
  void theDefaultsAreValid() {
    EmbeddedReplicaSettings settings = Replicas.settings();
    assertThat(settings.host()).isEqualTo("127.0.0.1");
    assertThat(settings.blockTokens()).isEqualTo(16);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "port = 65536",
        "block-tokens = 0",
        "capacity-blocks = 0",
        "context-tokens = 99999999",
        "max-pages = 0",
        "time.factor = -1",
        "time.preset = tpu",
        "time.prefill-tokens-per-second = 0",
        "time.attention-tokens = 0",
        "time.decode-step = -1 ms",
        "time.decode-per-call = 2 m",
        "time.decode-per-1000-tokens = -1 ms",
        "max-batched-tokens = 1",
        "stream-interval = 0",
        "kv-events.port = 65536",
        "kv-events.replay-port = -1",
        "kv-events.encoding = json",
        "kv-events.buffer-steps = -1",
        "kv-events.high-water-mark = 0",
        "kv-events.max-queued = 0",
        "faults.kind = flood",
        "faults.times = -1",
        "faults.after = -1",
        "faults.retry-after-seconds = -2",
        "faults.delay-millis = -1",
        "max-running = 0",
        "max-waiting = -1",
        "max-followers = 0",
        "poll-hold = 0 ms",
        "coalesce = 1 h",
        "max-request-bytes = 1",
        "request-timeout = 0 ms",
        "tokenizer-memo-tokens = -1",
        "analysis-memo-chars = -1"
      })
  void aBadValueIsRefusedWithItsPathAndTheAllowedRange(String line) {
    String key = line.substring(0, line.indexOf(' '));
    assertThatThrownBy(() -> Replicas.settings(line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("colony.inference.embedded." + key + " = ")
        .hasMessageContaining("allowed is");
  }
}
