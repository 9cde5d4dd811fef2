package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.redis.ClientSetup.RedisAddress;
import dev.colony.blackboard.redis.RedisSettings.RedisTls;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {

  private static final RedisSettings SETTINGS =
      RedisSettings.withTimeout(Duration.ofSeconds(7))
          .withTls(
              new RedisTls(
                  Optional.empty(), RedisTls.Verify.CA, Optional.empty(), Optional.empty()));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          redis://h                                  | h:6379
          redis://h:1                                | h:1
          redis://u:secret@with_underscore:1         | with_underscore:1
          redis://u:secret@h:1/0                     | h:1
          rediss://:secret@h:1                       | h:1
          redis-sentinel://u:secret@a:1,b:2/0#main   | the primary 'main' of the sentinels a:1, b:2
          redis-cluster://u:secret@a:1,b:2           | the cluster of a:1, b:2
          rediss-cluster://a:1                       | the cluster of a:1
          """)
  void addressShowsWhereRedisIsAndNoCredentials(String url, String shown) {
    assertThat(RedisAddress.parse(url, SETTINGS).shown()).isEqualTo(shown);
  }

  @Test
  void everyServerOfAClusterHasTheUserAndThePassword() {
    RedisAddress address = RedisAddress.parse("rediss-cluster://u:p%40ss@a:1,b,[::1]:3", SETTINGS);
    assertThat(address.cluster()).isTrue();
    assertThat(address.uris()).extracting(RedisURI::getPort).containsExactly(1, 6379, 3);
    assertThat(address.uris())
        .allSatisfy(uri -> {
          assertThat(uri.isSsl()).isTrue();
          assertThat(uri.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
          assertThat(uri.getTimeout()).isEqualTo(Duration.ofSeconds(7));
          var credentials = uri.getCredentialsProvider().resolveCredentials().block();
          assertThat(credentials.getUsername()).isEqualTo("u");
          assertThat(new String(credentials.getPassword())).isEqualTo("p@ss");
        });
  }

  @Test
  void sentinelsAreSpokenToLikeTheServers() {
    RedisURI uri = RedisAddress.parse("rediss-sentinel://a:1,b:2#main", SETTINGS).uris().getFirst();
    assertThat(uri.getSentinels())
        .hasSize(2)
        .allSatisfy(sentinel -> {
          assertThat(sentinel.isSsl()).isTrue();
          assertThat(sentinel.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
          assertThat(sentinel.getTimeout()).isEqualTo(Duration.ofSeconds(7));
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "someone:secret@h:1",
        "http://someone:secret@h:1",
        "redis://someone:secret@h:port",
        "redis-cluster://someone:secret@h:1,",
        "redis-cluster://someone:secret@h:1/2",
        "redis-sentinel://someone:secret@",
      })
  void whatIsNoUrlIsRefusedWithoutCredentials(String url) {
    assertThatThrownBy(() -> RedisAddress.parse(url, SETTINGS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no Redis URL")
        .hasNoCause()
        .message()
        .doesNotContain("secret")
        .doesNotContain("someone");
  }
}
