package dev.colony.blackboard.payload;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.PayloadStore.RefusedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a real S3-compatible server. */
@Tag("real")
class RealS3Test extends PayloadStoreContract {

  @TempDir private static Path folder;
  private static S3Gateway gateway;

  private final PayloadStore store =
      store(gateway.settings(UUID.randomUUID().toString()), S3Gateway.SECRET_KEY);

  @BeforeAll
  static void start() throws IOException {
    gateway = S3Gateway.start(folder);
  }

  @AfterAll
  static void stop() {
    if (gateway != null) {
      gateway.close();
    }
  }

  @Override
  PayloadStore store() {
    return store;
  }

  @Test
  void anotherSecretIsRefused() {
    PayloadStore forged = store(gateway.settings(""), "another");
    assertThatThrownBy(() -> forged.put("j/a", new byte[1]))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("403");
  }

  @Test
  void aBucketThatIsNotThereIsRefused() {
    PayloadStore nowhere = store(gateway.at("nowhere"), S3Gateway.SECRET_KEY);
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

  private static PayloadStore store(PayloadSettings settings, String secret) {
    return new S3Store(
        settings,
        new RequestSignature(S3Gateway.ACCESS_KEY, secret, Optional.empty(), settings.region()));
  }
}
