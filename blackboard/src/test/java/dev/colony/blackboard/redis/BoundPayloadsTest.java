package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BoundPayloadsTest {

  private static final PayloadSettings NONE = new PayloadSettings("", "", "r");
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  @TempDir private Path folder;
  private final TestServer server = TestServer.start();
  private final RedisConnections redis = new RedisConnections(server.uri(), Duration.ofSeconds(20));

  @AfterEach
  void stop() {
    redis.close();
    server.close();
  }

  @Test
  void aRedisFindsItsPayloadsAgain() throws IOException {
    PayloadSettings own = in("own");
    PayloadVault.Stub stub = open(own).put('a', "owner", "1", new byte[] {1, 2, 3});
    assertThat(open(own).get('a', "owner", "1", stub, "it")).containsExactly(1, 2, 3);
  }

  @Test
  void anotherFolderOrOneThatIsNotMountedIsRefused() throws IOException {
    open(in("own"));
    assertThatThrownBy(() -> open(in("other")))
        .isInstanceOf(BlackboardException.class)
        .hasMessageContaining("other is not where Redis at")
        .hasMessageContaining("is the folder mounted");
    assertThat(folder.resolve("other")).isEmptyDirectory();
    assertThatThrownBy(() -> open(new PayloadSettings("file:" + folder + "/none", "", "r")))
        .isInstanceOf(BlackboardException.class)
        .hasMessageContaining("none is no folder");
  }

  @Test
  void aBucketWithoutCredentialsIsRefused() {
    assertThatThrownBy(() -> open(new PayloadSettings("s3://bucket", "", "r")))
        .isInstanceOf(BlackboardException.class)
        .hasMessageContaining("AWS_ACCESS_KEY_ID is not set");
  }

  @Test
  void itIsKnownWhereThereAreNone() throws IOException {
    assertThat(open(NONE).off()).isTrue();
    assertThat(BoundPayloads.exist(redis)).isFalse();
    open(in("own"));
    assertThat(BoundPayloads.exist(redis)).isTrue();
  }

  @Test
  void twoOnOneFolderDoNotMeet() throws IOException {
    PayloadSettings shared = in("shared");
    try (TestServer another = TestServer.start();
        RedisConnections others = new RedisConnections(another.uri(), Duration.ofSeconds(20))) {
      PayloadVault mine = open(shared);
      PayloadVault theirs = BoundPayloads.open(shared, others, PATIENCE);
      PayloadVault.Stub stub = mine.put('a', "owner", "1", new byte[] {1});
      theirs.put('a', "owner", "1", new byte[] {1});
      theirs.removeAll('a', "owner");
      assertThat(mine.get('a', "owner", "1", stub, "it")).containsExactly(1);
    }
  }

  private PayloadVault open(PayloadSettings settings) {
    return BoundPayloads.open(settings, redis, PATIENCE);
  }

  private PayloadSettings in(String name) throws IOException {
    return new PayloadSettings("file:" + Files.createDirectories(folder.resolve(name)), "", "r");
  }
}
