package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import org.apache.pekko.cluster.ConfigValidation;
import org.apache.pekko.cluster.Valid;
import org.junit.jupiter.api.Test;

class AgreedSettingsTest {

  private static final Config CLUSTER = units("150");

  @Test
  void aNodeWithTheSameSettingsJoins() {
    assertThat(check(units("150"))).isEqualTo(Valid.getInstance());
  }

  @Test
  void aNodeWithAnotherNumberOfUnitsIsRefused() {
    assertThat(check(units("151")).toString()).contains("placement-units");
  }

  @Test
  void theCheckIsInForce() {
    assertThat(
            ConfigFactory.load()
                .getString("pekko.cluster.configuration-compatibility-check.checkers.colony-agent"))
        .isEqualTo(ShardingLayout.AgreedSettings.class.getName());
  }

  private static ConfigValidation check(Config joining) {
    return new ShardingLayout.AgreedSettings().check(joining, CLUSTER);
  }

  private static Config units(String number) {
    return ConfigFactory.parseString("colony.agent.placement-units = " + number);
  }
}
