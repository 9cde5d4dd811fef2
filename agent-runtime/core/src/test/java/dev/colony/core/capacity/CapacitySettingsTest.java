package dev.colony.core.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.core.capacity.CapacitySettings.NodeCapacity;
import dev.colony.core.capacity.CapacitySettings.Shares;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CapacitySettingsTest {

  private static CapacitySettings with(String settings) {
    return CapacitySettings.fromConfig(
        ConfigFactory.parseString("colony.agent.capacity {" + settings + "}")
            .withFallback(ConfigFactory.defaultReference()));
  }

  @Test
  void whatIsNotSetIsAsTheReferenceSays() {
    CapacitySettings usual = with("");
    assertThat(usual.node()).isEqualTo(new NodeCapacity(400, 85, Long.MAX_VALUE));
    assertThat(usual.shares()).isEqualTo(Shares.EQUAL);
  }

  @Test
  void tenantsHaveShares() {
    CapacitySettings settings = with("shares { acme = 3, \"a.b\" = 2 }, other-shares = 2");
    assertThat(settings.shares()).isEqualTo(new Shares(Map.of("acme", 3, "a.b", 2), 2));
    assertThat(settings.shares().of("whoever")).isEqualTo(2);
  }

  @Test
  void whatIsOutOfRangeNamesItsPathItselfAndTheRange() {
    assertThatThrownBy(() -> with("agents = 0"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("colony.agent.capacity.agents': is 0, but must be 1 to 1000000");
    assertThatThrownBy(() -> with("shares { acme = 0 }"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("acme")
        .hasMessageContaining("1 to 1000000");
    assertThatThrownBy(() -> with("kv-tokens = 0"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("kv-tokens");
  }
}
