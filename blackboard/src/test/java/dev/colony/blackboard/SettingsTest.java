package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
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
    "events.kept, 0, 1 to 2147483647",
    "max-value-bytes, 0, 1 B to 512 MiB",
    "inbox.keep-dead-letters, 0s, 1 s to 36500 d",
  })
  void badBlackboardSettingIsNamed(String key, String value, String allowed) {
    assertNamed(BlackboardSettings::fromConfig, key, value, allowed);
  }

  @Test
  void eventsForDurableSubscriptionsAreNoFewerThanForOthers() {
    assertThatThrownBy(
            () -> BlackboardSettings.fromConfig(bad("events { kept = 10, kept-for-durable", "9 }")))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.blackboard.events")
        .hasMessageContaining("kept-for-durable is 9, but must be at least kept (10)");
  }

  @ParameterizedTest
  @CsvSource({
    "redis.command-timeout, 0s, 1 ms to 1 d",
    "redis.wait-replicas, 101, 0 to 100",
    "redis.tls.verify, mostly, 'one of ca, full, none'",
  })
  void badRedisSettingIsNamed(String key, String value, String allowed) {
    assertNamed(RedisSettings::fromConfig, key, value, allowed);
  }

  @Test
  void aCertificateWithoutItsKeyIsNamed() {
    assertThatThrownBy(
            () -> RedisSettings.fromConfig(bad("redis.tls.certificate-file", "some.pem")))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.blackboard.redis.tls")
        .hasMessageContaining("certificate-file is 'some.pem'")
        .hasMessageContaining("both given or both empty");
  }

  @Test
  void badServerSettingIsNamed() {
    assertNamed(
        config -> ServerSettings.fromConfig(config, Path.of("x")),
        "server.fsync",
        "sometimes",
        "one of always, everysec, no");
  }

  private static void assertNamed(
      Function<Config, ?> read, String key, String value, String allowed) {
    assertThatThrownBy(() -> read.apply(bad(key, value)))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.blackboard." + key)
        .hasMessageContaining("is " + value + ", but must be " + allowed);
  }

  private static Config bad(String key, String value) {
    return ConfigFactory.parseString("colony.blackboard.%s = %s".formatted(key, value))
        .withFallback(REFERENCE);
  }
}
