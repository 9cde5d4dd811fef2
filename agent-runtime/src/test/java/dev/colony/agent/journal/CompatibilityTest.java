package dev.colony.agent.journal;

import com.typesafe.config.Config;
import dev.colony.blackboard.server.TestRedis;
import java.util.stream.Stream;
import org.apache.pekko.persistence.CapabilityFlag;
import org.apache.pekko.persistence.japi.journal.JavaJournalSpec;
import org.apache.pekko.persistence.japi.snapshot.JavaSnapshotStoreSpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Pekko's public technology compatibility kit, against a real Redis. */
class CompatibilityTest {

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
    return JournalConfig.on(
        redis.uri(), "pekko.test.single-expect-default = 30s", "colony.agent.history.keep = 5");
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
