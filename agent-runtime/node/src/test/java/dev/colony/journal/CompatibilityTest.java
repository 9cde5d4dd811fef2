package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.journal.ScalaTestRun.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.pekko.persistence.CapabilityFlag;
import org.apache.pekko.persistence.japi.journal.JavaJournalSpec;
import org.apache.pekko.persistence.japi.snapshot.JavaSnapshotStoreSpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Pekko's public technology compatibility kit, against a real Redis: 28 tests, all of which pass
 * where as many snapshots are kept as the kit writes. With the default settings 25 do.
 */
class CompatibilityTest {

  private static final String PATIENT = "pekko.test.single-expect-default = 30s";

  private static TestRedis redis;

  @BeforeAll
  static void start() {
    redis = TestRedis.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @TestFactory
  Stream<DynamicTest> journal() {
    return ScalaTestRun.of(new JournalKit(config()));
  }

  @TestFactory
  Stream<DynamicTest> snapshotStore() {
    return ScalaTestRun.of(new SnapshotStoreKit(config()));
  }

  /**
   * The kit waits 3 s for an answer, which a cold start on a busy machine can take. It asks for the
   * oldest of five snapshots, so that as many are to be kept.
   */
  private static Config config() {
    return JournalConfig.on(redis.uri(), PATIENT, "colony.agent.history.keep = 5");
  }

  /**
   * By default the two newest snapshots of an agent are kept, which is what recovery needs; so the
   * kit does not find the older ones that it asks for.
   */
  @Test
  void withTheDefaultSettingsAllPassButThoseThatAskForOlderSnapshots() {
    List<Result> results = new ArrayList<>();
    // Of its own, since the kit uses the same names each time.
    try (TestRedis fresh = TestRedis.start()) {
      Config defaults = JournalConfig.on(fresh.uri(), PATIENT);
      results.addAll(ScalaTestRun.results(new JournalKit(defaults)));
      results.addAll(ScalaTestRun.results(new SnapshotStoreKit(defaults)));
    }
    assertThat(results).hasSize(28);
    assertThat(results)
        .filteredOn(result -> result.failure().isPresent())
        .extracting(Result::name)
        .containsExactlyInAnyOrder(
            "A snapshot store must load the most recent snapshot matching an upper sequence"
                + " number bound",
            "A snapshot store must load the most recent snapshot matching upper sequence number"
                + " and timestamp bounds",
            "A snapshot store must delete a single snapshot identified by sequenceNr in snapshot"
                + " metadata");
  }

  private static final class JournalKit extends JavaJournalSpec {
    JournalKit(Config config) {
      super(config);
    }
  }

  private static final class SnapshotStoreKit extends JavaSnapshotStoreSpec {
    SnapshotStoreKit(Config config) {
      super(config);
    }

    @Override
    public CapabilityFlag supportsSerialization() {
      return CapabilityFlag.on();
    }
  }
}
