package dev.colony.vcm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.store.PageAccessSettings;
import dev.colony.vcm.store.StoreSettings;
import dev.colony.vcm.store.TreeFollowers.TreeSettings;
import dev.colony.vcm.table.PlacementSettings;
import dev.colony.vcm.table.TableSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VcmSettingsTest {

  @Test
  void theDefaultsAreValid() {
    assertThat(GroupingSettings.fromConfig(ConfigFactory.load()))
        .isEqualTo(new GroupingSettings(8192, 4));
    readAll(ConfigFactory.load());
  }

  @ParameterizedTest
  @CsvSource({
    "colony.vcm.source.max-file-bytes, 0",
    "colony.vcm.source.max-files, 0",
    "colony.vcm.source.max-total-bytes, 0",
    "colony.vcm.grouping.tokenizer, none",
    "colony.vcm.grouping.kind, optional",
    "colony.vcm.grouping.cache-tokens, -1",
    "colony.vcm.store.reference-bytes, 0",
    "colony.vcm.access.sensitivity, secret",
    "colony.vcm.access.other-tenants, secret",
    "colony.vcm.access.other-replicas, secret",
    "colony.vcm.access.tenants.acme, secret",
    "colony.vcm.access.replicas.node-1, secret",
    "colony.vcm.grouping.page-size-tokens, 127",
    "colony.vcm.grouping.pages-per-group, 0",
    "colony.vcm.store.cache-bytes, 1099511627777",
    "colony.vcm.table.debounce, 0",
    "colony.vcm.watch.trees.most, -1",
    "colony.vcm.watch.trees.pause, 0",
    "colony.vcm.placement.policy, nearest"
  })
  void aBadValueIsNamedWithItsPathAndRange(String path, String value) {
    Config config =
        ConfigFactory.parseString(path + " = " + value).withFallback(ConfigFactory.load());

    assertThatThrownBy(() -> readAll(config))
        .hasMessageContaining(path)
        .hasMessageContaining(value)
        .hasMessageContaining("must be");
  }

  private static void readAll(Config config) {
    SourceSettings.fromConfig(config);
    TokenCounter.named(GroupingSettings.fromConfig(config).tokenizer());
    TreeSettings.fromConfig(config);
    PageAccessSettings.fromConfig(config);
    StoreSettings.fromConfig(config);
    TableSettings.fromConfig(config);
    PlacementSettings.fromConfig(config);
  }
}
