package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.Settings;
import org.junit.jupiter.api.Test;

class LeaseSettingsTest {

  @Test
  void leasesAreOnByDefault() {
    assertThat(read("").enabled()).isTrue();
  }

  @Test
  void aBadValueNamesItsPathItselfAndTheRange() {
    assertThatThrownBy(() -> read("colony.vcm.leases.bound = 1ms"))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.vcm.leases.bound")
        .hasMessageContaining("must be 10 ms to 1 d");
  }

  private static LeaseService.LeaseSettings read(String settings) {
    Config config = ConfigFactory.parseString(settings).withFallback(ConfigFactory.load());
    return Settings.read(LeaseService.LeaseSettings.class, config);
  }
}
