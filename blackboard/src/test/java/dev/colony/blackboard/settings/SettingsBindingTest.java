package dev.colony.blackboard.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsBindingTest {

  enum Discovery {
    CONFIG,
    KUBERNETES_API
  }

  record Backoff(
      @Range(min = "1 ms", max = "1 h") Duration shortest,
      @Range(min = "1 ms", max = "1 h") Duration longest) {

    Backoff {
      if (shortest.compareTo(longest) > 0) {
        throw new IllegalArgumentException("shortest must be at most longest");
      }
    }
  }

  record Model(
      String name,
      @Range(min = "0", max = "1000000") BigDecimal price,
      @Range(min = "1", max = "1000000") int tokens) {}

  @Section("colony.part")
  record Part(
      boolean on,
      @Range(min = "1", max = "100") int workers,
      @Range(min = "1 KiB", max = "4 GiB") long maxPrompt,
      @Range(min = "0", max = "1") double share,
      Discovery discovery,
      Optional<String> bindHost,
      @Range(min = "1 s", max = "1 d") Optional<Duration> rest,
      List<String> hosts,
      Map<String, String> labels,
      Backoff backoff,
      @Range(min = "1", max = "9") Map<String, Integer> shares,
      Map<String, Model> models,
      @Section("usual-tenant") Map<String, Tenant> tenants) {}

  record Tenant(
      @Range(min = "1", max = "1000") Optional<Long> calls,
      @Range(min = "0", max = "1000") Optional<BigDecimal> cost) {}

  record Rangeless(int workers) {}

  private static final Config GOOD =
      ConfigFactory.parseString(
          """
          colony.part {
            on = yes
            workers = 4
            max-prompt = 2 MiB
            share = 0.25
            discovery = kubernetes-api
            bind-host = ""
            rest = ""
            hosts = [a, b]
            labels { "a.b" = x, c.d = 7 }
            backoff { shortest = 10ms, longest = 5s }
            shares { "a.b" = 2 }
            models-default { name = "", price = 0, tokens = 8192 }
            models { "gpt 4.1" { price = 0.25 } }
            usual-tenant { calls = 7, cost = unlimited }
            tenants.acme { cost = 0.5 }
          }
          """);

  @Test
  void aSectionBecomesItsRecord() {
    assertThat(Settings.read(Part.class, GOOD))
        .isEqualTo(
            new Part(
                true,
                4,
                2 << 20,
                0.25,
                Discovery.KUBERNETES_API,
                Optional.empty(),
                Optional.empty(),
                List.of("a", "b"),
                Map.of("a.b", "x", "c.d", "7"),
                new Backoff(Duration.ofMillis(10), Duration.ofSeconds(5)),
                Map.of("a.b", 2),
                Map.of("gpt 4.1", new Model("", new BigDecimal("0.25"), 8192)),
                Map.of("acme", new Tenant(Optional.of(7L), Optional.of(new BigDecimal("0.5"))))));
  }

  @ParameterizedTest
  @CsvSource({
    "workers, 0, 'is 0, but must be 1 to 100'",
    "workers, 101, 'is 101, but must be 1 to 100'",
    "workers, many, 'is many, but must be 1 to 100'",
    "workers, 5000000000, 'is 5000000000, but must be 1 to 100'",
    "max-prompt, 1023, 'is 1023, but must be 1 KiB to 4 GiB'",
    "max-prompt, 5 GiB, 'is 5 GiB, but must be 1 KiB to 4 GiB'",
    "share, 1.01, 'is 1.01, but must be 0 to 1'",
    "on, perhaps, 'is perhaps, but must be on or off'",
    "discovery, dns, 'is dns, but must be one of config, kubernetes-api'",
    "rest, 100ms, 'is 100ms, but must be 1 s to 1 d'",
    "shares.\"a.b\", 0, 'is 0, but must be 1 to 9'",
    "hosts, 7, 'is 7, but must be a list of texts'",
    "labels, 7, 'is 7, but must be texts by name'",
    "backoff.shortest, 0s, 'is 0s, but must be 1 ms to 1 h'",
    "backoff.shortest, soon, 'is soon, but must be 1 ms to 1 h'",
    "models.\"gpt 4.1\".tokens, 0, 'is 0, but must be 1 to 1000000'",
    "models.\"gpt 4.1\".price, cheap, 'is cheap, but must be 0 to 1000000'",
  })
  void aBadValueIsNamedWithItsPathAndWhatIsAllowed(String key, String value, String words) {
    Config bad =
        ConfigFactory.parseString("colony.part." + key + " = \"" + value + '"').withFallback(GOOD);

    assertThatThrownBy(() -> Settings.read(Part.class, bad))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.part." + key)
        .hasMessageContaining(words);
  }

  @Test
  void whatConcernsTwoSettingsIsRefusedWithTheirSection() {
    Config bad = ConfigFactory.parseString("colony.part.backoff.shortest = 6s").withFallback(GOOD);

    assertThatThrownBy(() -> Settings.read(Part.class, bad))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.part.backoff")
        .hasMessageContaining("shortest must be at most longest");
  }

  @Test
  void aKeyThatAnEntryOfAMapDoesNotHaveIsNamed() {
    Config bad = ConfigFactory.parseString("colony.part.models.small.prise = 1").withFallback(GOOD);

    assertThatThrownBy(() -> Settings.read(Part.class, bad))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.part.models.small.prise")
        .hasMessageContaining("[name, price, tokens]");
  }

  @Test
  void aMissingKeyIsNamedWithItsWholePath() {
    assertThatThrownBy(() -> Settings.read(Part.class, GOOD.withoutPath("colony.part.workers")))
        .isInstanceOf(ConfigException.Missing.class)
        .hasMessageContaining("colony.part.workers");
  }

  @Test
  void aNumberWithoutARangeCannotBeBound() {
    assertThatThrownBy(() -> Settings.read(Rangeless.class, GOOD, "colony.part"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("workers cannot be bound");
  }
}
