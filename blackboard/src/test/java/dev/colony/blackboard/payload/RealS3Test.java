package dev.colony.blackboard.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.PayloadStore.RefusedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real S3-compatible server: Versity's S3 gateway over a folder, which checks signatures. Nothing
 * is installed: it is {@code versitygw} under COLONY_SERVERS, or {@code ~/.cache/colony-servers}
 * where that is not set.
 */
@Tag("real")
class RealS3Test extends PayloadStoreContract {

  private static final String BUCKET = "payloads";
  private static final String KEY = "colony";
  private static final String SECRET = "not-a-secret/of+anyone";

  @TempDir private static Path folder;
  private static Process server;
  private static String endpoint;

  private final String prefix = UUID.randomUUID().toString();
  private final PayloadStore store = store(BUCKET + "/" + prefix, SECRET);

  @BeforeAll
  static void start() throws IOException {
    Path program =
        Optional.ofNullable(System.getenv("COLONY_SERVERS"))
            .map(Path::of)
            .orElse(Path.of(System.getProperty("user.home"), ".cache", "colony-servers"))
            .resolve("versitygw");
    Assumptions.assumeTrue(
        Files.isExecutable(program),
        "S3 is not tried: GOBIN=%s go install github.com/versity/versitygw/cmd/versitygw@latest"
            .formatted(program.getParent()));
    Files.createDirectories(folder.resolve("data").resolve(BUCKET));
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    endpoint = "http://127.0.0.1:" + port;
    ProcessBuilder builder =
        new ProcessBuilder(
            program.toString(),
            "--port",
            "127.0.0.1:" + port,
            "posix",
            "--nometa",
            folder.resolve("data").toString());
    builder.environment().put("ROOT_ACCESS_KEY", KEY);
    builder.environment().put("ROOT_SECRET_KEY", SECRET);
    server =
        builder
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("server.log").toFile())
            .start();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          assertThat(server.isAlive())
              .as("%s", Files.readString(folder.resolve("server.log")))
              .isTrue();
          try (Socket connected = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return connected.isConnected();
          } catch (IOException notYet) {
            return false;
          }
        });
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.destroyForcibly();
    }
  }

  @Override
  PayloadStore store() {
    return store;
  }

  @Test
  void anotherSecretIsRefused() {
    PayloadStore forged = store(BUCKET, "another");
    assertThatThrownBy(() -> forged.put("j/a", new byte[1]))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("403");
  }

  @Test
  void aBucketThatIsNotThereIsRefused() {
    PayloadStore nowhere = store("nowhere", SECRET);
    for (Attempt attempt :
        List.<Attempt>of(
            () -> nowhere.put("j/a", new byte[1]),
            () -> nowhere.get("j/a", 1),
            () -> nowhere.list("j/", "", 1))) {
      assertThatThrownBy(attempt::make)
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("NoSuchBucket");
    }
  }

  private interface Attempt {
    void make() throws IOException;
  }

  private static PayloadStore store(String where, String secret) {
    return new S3Store(
        new PayloadSettings("s3://" + where, endpoint, "us-east-1"),
        new RequestSignature(KEY, secret, Optional.empty(), "us-east-1"));
  }
}
