package dev.colony.blackboard.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** By release line, what is said of a server's version. */
class KnownHolesTest {

  @ParameterizedTest
  @CsvSource({
    "6.0.16, use 6.2.20 or newer",
    "6.2.11, use 6.2.20 or newer",
    "6.2.19, use 6.2.20 or newer",
    "7.0.15, use 7.2.11 or newer",
    "7.2.4, use 7.2.11 or newer",
    "7.4.5, use 7.4.6 or newer",
    "8.0.3, use 8.0.4 or newer",
    "8.2.1, use 8.2.2 or newer",
  })
  void olderServerIsNamedWithTheReleaseToTake(String version, String words) {
    assertThat(KnownHoles.of("# Server\r\nredis_version:" + version + "\r\nredis_mode:standalone"))
        .hasValueSatisfying(advice ->
            assertThat(advice)
                .contains("Redis " + version, words, "Debian's redis-server")
                .doesNotContain("\n"));
  }

  @ParameterizedTest
  @CsvSource({"6.2.20", "6.2.21", "7.2.11", "7.4.6", "8.0.4", "8.2.2", "8.4.0", "9.0.0", "unknown"})
  void mendedServerIsNot(String version) {
    assertThat(KnownHoles.of("redis_version:" + version + "\r\n")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"7.2.10, true", "7.2.11, false", "8.0.5, true", "8.1.4, false", "9.0.0, false"})
  void valkeyIsJudgedByItsOwnVersion(String version, boolean named) {
    assertThat(
            KnownHoles.of("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:" + version))
        .map(advice -> advice.contains("Valkey " + version))
        .isEqualTo(named ? java.util.Optional.of(true) : java.util.Optional.empty());
  }
}
