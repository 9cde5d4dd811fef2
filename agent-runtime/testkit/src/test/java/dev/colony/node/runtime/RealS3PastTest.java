package dev.colony.node.runtime;

import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.S3Gateway;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The same on a real S3-compatible server. */
@Tag("real")
class RealS3PastTest extends LargePastContract {

  private static final String KEY = "aws.accessKeyId";
  private static final String SECRET = "aws.secretAccessKey";

  @TempDir private Path folder;
  private S3Gateway gateway;

  @BeforeEach
  void start() throws IOException {
    gateway = S3Gateway.start(folder);
    System.setProperty(KEY, S3Gateway.ACCESS_KEY);
    System.setProperty(SECRET, S3Gateway.SECRET_KEY);
  }

  @AfterEach
  void stop() {
    System.clearProperty(KEY);
    System.clearProperty(SECRET);
    if (gateway != null) {
      gateway.close();
    }
  }

  @Override
  PayloadSettings store() {
    return gateway.settings("past");
  }

  @Override
  List<String> credentials() {
    return List.of(
        "-D" + KEY + "=" + S3Gateway.ACCESS_KEY, "-D" + SECRET + "=" + S3Gateway.SECRET_KEY);
  }
}
