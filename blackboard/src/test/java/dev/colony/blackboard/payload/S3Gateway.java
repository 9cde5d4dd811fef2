package dev.colony.blackboard.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/**
 * A real S3-compatible server: Versity's S3 gateway over a folder, which checks signatures. Nothing
 * is installed: it is {@code versitygw} under COLONY_SERVERS, or {@code ~/.cache/colony-servers}
 * where that is not set.
 */
public final class S3Gateway implements AutoCloseable {

  public static final String ACCESS_KEY = "colony";
  public static final String SECRET_KEY = "not-a-secret/of+anyone";

  private static final String BUCKET = "payloads";

  private final Process server;
  private final String endpoint;

  private S3Gateway(Process server, String endpoint) {
    this.server = server;
    this.endpoint = endpoint;
  }

  /**
   * Starts it; the test is skipped where it is not installed.
   *
   * @param folder of its data and log
   */
  public static S3Gateway start(Path folder) throws IOException {
    Path program =
        Optional.ofNullable(System.getenv("COLONY_SERVERS"))
            .map(Path::of)
            .orElse(Path.of(System.getProperty("user.home"), ".cache", "colony-servers"))
            .resolve("versitygw");
    Assumptions.assumeTrue(
        Files.isExecutable(program),
        "S3 is not tried: GOBIN=%s go install github.com/versity/versitygw/cmd/versitygw@latest"
            .formatted(program.getParent()));
    Path data = Files.createDirectories(folder.resolve("data").resolve(BUCKET)).getParent();
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    ProcessBuilder builder =
        new ProcessBuilder(
            program.toString(),
            "--port",
            "127.0.0.1:" + port,
            "posix",
            "--nometa",
            data.toString());
    builder.environment().put("ROOT_ACCESS_KEY", ACCESS_KEY);
    builder.environment().put("ROOT_SECRET_KEY", SECRET_KEY);
    Path log = folder.resolve("server.log");
    Process server = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          assertThat(server.isAlive()).as("%s", Files.readString(log)).isTrue();
          try (Socket connected = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return connected.isConnected();
          } catch (IOException notYet) {
            return false;
          }
        });
    return new S3Gateway(server, "http://127.0.0.1:" + port);
  }

  /** A part of its bucket. */
  public PayloadSettings settings(String prefix) {
    return at(BUCKET + "/" + prefix);
  }

  PayloadSettings at(String where) {
    return new PayloadSettings("s3://" + where, endpoint, "us-east-1");
  }

  @Override
  public void close() {
    server.destroyForcibly();
  }
}
