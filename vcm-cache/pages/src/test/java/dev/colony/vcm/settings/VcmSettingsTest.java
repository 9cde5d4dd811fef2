package dev.colony.vcm.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.tokens.TokenCounter;
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
    "colony.vcm.source.max-line-chars, 0",
    "colony.vcm.source.max-files, 0",
    "colony.vcm.source.max-total-bytes, 0",
    "colony.vcm.source.hold-bytes, 1099511627777",
    "colony.vcm.source.parallelism, -1",
    "colony.vcm.watch.debounce, 0",
    "colony.vcm.watch.poll-interval, 0",
    "colony.vcm.watch.most-directories, 0",
    "colony.vcm.watch.most-changes, 0",
    "colony.vcm.git.history, -1",
    "colony.vcm.git.most-files-together, 1",
    "colony.vcm.grouping.tokenizer, none",
    "colony.vcm.grouping.kind, optional",
    "colony.vcm.grouping.cache-tokens, -1",
    "colony.vcm.store.reference-bytes, 0",
    "colony.vcm.store.most-branch-pages, 0",
    "colony.vcm.access.sensitivity, secret",
    "colony.vcm.access.other-tenants, secret",
    "colony.vcm.access.other-replicas, secret",
    "colony.vcm.access.tenants.acme, secret",
    "colony.vcm.access.replicas.node-1, secret",
    "colony.vcm.grouping.page-size-tokens, 127",
    "colony.vcm.grouping.pages-per-group, 0",
    "colony.vcm.store.cache-bytes, 1099511627777",
    "colony.vcm.store.batch-pages, 0",
    "colony.vcm.store.calls-in-flight, 0",
    "colony.vcm.index.passage-lines, 0",
    "colony.vcm.graph.half-life, 0",
    "colony.vcm.graph.prior, 0",
    "colony.vcm.graph.least-weight, 2",
    "colony.vcm.graph.most-edges, 0",
    "colony.vcm.query.recall, 1",
    "colony.vcm.query.settled, 0",
    "colony.vcm.query.window, 0",
    "colony.vcm.query.explore-every, 0",
    "colony.vcm.query.depth, 0",
    "colony.vcm.query.absent, 2",
    "colony.vcm.prefetch.pages, -1",
    "colony.vcm.prefetch.tokens, 0",
    "colony.vcm.prefetch.likelihood, 2",
    "colony.vcm.prefetch.depth, 0",
    "colony.vcm.prefetch.fill, 2",
    "colony.vcm.prefetch.at-once, 0",
    "colony.vcm.prefetch.backlog, -1",
    "colony.vcm.table.debounce, 0",
    "colony.vcm.table.retry-delay, 0",
    "colony.vcm.table.max-pages-per-replica, 0",
    "colony.vcm.table.max-entries, 0",
    "colony.vcm.table.calls-in-flight, 0",
    "colony.vcm.table.departed-after, 0",
    "colony.vcm.watch.trees.most, -1",
    "colony.vcm.watch.trees.quiet, 0",
    "colony.vcm.watch.trees.pause, 0",
    "colony.vcm.watch.trees.look, 1",
    "colony.vcm.watch.trees.keep, 0",
    "colony.vcm.placement.imbalance, 0.5",
    "colony.vcm.placement.rebalance-hysteresis, 1.9",
    "colony.vcm.placement.rebalance-moves, -1",
    "colony.vcm.placement.follow.after, 0",
    "colony.vcm.placement.follow.margin, 0",
    "colony.vcm.placement.follow.moves, -1",
    "colony.vcm.placement.follow.interval, 0",
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
    GraphSettings.fromConfig(config);
    QuerySettings.fromConfig(config);
    PrefetchSettings.fromConfig(config);
    TokenCounter.named(GroupingSettings.fromConfig(config).tokenizer());
    WatchSettings.fromConfig(config);
    TreeSettings.fromConfig(config);
    PageAccessSettings.fromConfig(config);
    GitSettings.fromConfig(config);
    StoreSettings.fromConfig(config);
    IndexSettings.fromConfig(config);
    TableSettings.fromConfig(config);
    PlacementSettings.fromConfig(config);
  }
}
