package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.clock.ClockSettings;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.ServerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

  private static final Config REFERENCE = ConfigFactory.defaultReference();

  @Test
  void defaultsInCodeAreThoseOfTheReference() {
    assertThat(BlackboardSettings.fromConfig(REFERENCE)).isEqualTo(BlackboardSettings.DEFAULTS);
    assertThat(RedisSettings.fromConfig(REFERENCE))
        .isEqualTo(RedisSettings.withTimeout(Duration.ofSeconds(10)));
    assertThat(ServerSettings.fromConfig(REFERENCE, Path.of("x")))
        .isEqualTo(ServerSettings.in(Path.of("x")));
  }

  @ParameterizedTest
  @CsvSource({
    "buckets, 0, 1 to 4096",
    "events.kept, 0, at least 1",
    "max-value-bytes, 0, at least 1",
    "subscriber.buffer, 0, at least 1",
    "sweep-interval, 0s, at least 1 ms",
    "expiry-interval, 0s, at least 1 ms",
  })
  void badBlackboardSettingIsNamed(String key, String value, String allowed) {
    assertNamed(BlackboardSettings::fromConfig, key, value, allowed);
  }

  @ParameterizedTest
  @CsvSource({
    "sync-interval, 9ms, 10ms to 1m",
    "sync-interval, 61s, 10ms to 1m",
    "warn-skew, 0s, at least 1ms",
    "max-skew, 1s, more than warn-skew",
  })
  void badClockSettingIsNamed(String key, String value, String allowed) {
    Config bad = ConfigFactory.parseString("colony.clock." + key + " = " + value);
    assertThatThrownBy(() -> ClockSettings.fromConfig(bad.withFallback(REFERENCE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("colony.clock." + key)
        .hasMessageContaining(allowed);
  }

  @ParameterizedTest
  @CsvSource({
    "redis.command-timeout, 0s, more than 0",
    "redis.reconnect-min, 0s, at least 1 ms",
    "redis.reconnect-max, 50ms, more than reconnect-min",
    "redis.request-queue, 0, at least 1",
    "redis.silent-after, 0s, more than 0",
    "redis.topology-refresh, 0s, more than 0",
    "redis.tls.verify, mostly, 'full, ca or none'",
    "redis.tls.certificate-file, some.pem, both given or both empty",
  })
  void badRedisSettingIsNamed(String key, String value, String allowed) {
    assertNamed(RedisSettings::fromConfig, key, value, allowed);
  }

  @ParameterizedTest
  @CsvSource({
    "server.port, 65536, 0 to 65535",
    "server.fsync, sometimes, 'always, everysec or no'",
    "server.start-timeout, 0s, more than 0",
    "server.stop-timeout, 0s, more than 0",
  })
  void badServerSettingIsNamed(String key, String value, String allowed) {
    assertNamed(config -> ServerSettings.fromConfig(config, Path.of("x")), key, value, allowed);
  }

  private static void assertNamed(
      Function<Config, ?> read, String key, String value, String allowed) {
    Config bad =
        ConfigFactory.parseString("colony.blackboard.%s = %s".formatted(key, value))
            .withFallback(REFERENCE);
    assertThatThrownBy(() -> read.apply(bad))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("colony.blackboard." + key + " is ")
        .hasMessageContaining("but must be " + allowed);
  }
}
