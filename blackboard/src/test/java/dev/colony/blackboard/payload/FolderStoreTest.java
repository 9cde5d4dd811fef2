package dev.colony.blackboard.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FolderStoreTest extends PayloadStoreContract {

  @TempDir private Path folder;
  private PayloadStore store;

  @BeforeEach
  void open() {
    store = PayloadStore.open(new PayloadSettings("file:" + folder, "", "r")).orElseThrow();
  }

  @Override
  PayloadStore store() {
    return store;
  }

  @Test
  void aFolderThatIsNotThereIsNotMade() {
    PayloadSettings settings = new PayloadSettings("file:" + folder.resolve("no"), "", "r");
    assertThatThrownBy(() -> PayloadStore.open(settings)).hasMessageContaining("is it mounted?");
    assertThat(folder.resolve("no")).doesNotExist();
  }

  @Test
  void nothingIsLeftOfWhatIsDeleted() throws IOException {
    store.put("j/0a/e1-b", bytes("1"));
    store.delete("j/0a/e1-b");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void whatAWriterLeftUnfinishedIsListed() throws IOException {
    store.put("j/0a/e1-b", bytes("1"));
    Files.writeString(folder.resolve("j/0a/e2-b.5" + FolderStore.UNFINISHED), "par");
    assertThat(store.list("j/", "", 100)).containsExactly("j/0a/e1-b", "j/0a/e2-b.5.tmp");
  }

  @ParameterizedTest
  @CsvSource({
    "store, payloads",
    "store, file:payloads",
    "store, http://bucket",
    "store, s3://B",
    "store, s3://bucket/pre fix",
    "endpoint, minio:9000",
    "endpoint, https://user@minio",
    "endpoint, https://minio/path",
    "region, ''",
    "region, US east"
  })
  void aBadSettingIsRefusedWithItsValue(String key, String value) {
    assertThatThrownBy(() ->
            Settings.read(
                PayloadSettings.class,
                ConfigFactory.parseString("colony.payloads." + key + " = \"" + value + "\"")
                    .withFallback(ConfigFactory.load())))
        .hasMessageContaining(key + " is " + value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file:/srv/payloads", "file:///srv/payloads"})
  void aFolderIsNamedByItsPathOrItsUrl(String store) {
    assertThat(new PayloadSettings(store, "", "r").folder()).contains(Path.of("/srv/payloads"));
  }

  @ParameterizedTest
  @CsvSource({"s3://bucket, ''", "s3://bucket/, ''", "s3://bucket/a/b, a/b/", "s3://bucket/a/, a/"})
  void aBucketMayHaveAPrefix(String given, String prefix) {
    PayloadSettings settings = new PayloadSettings(given, "", "eu-west-1");
    assertThat(settings.bucket()).isEqualTo("bucket");
    assertThat(settings.prefix()).isEqualTo(prefix);
    assertThat(settings.base()).hasToString("https://s3.eu-west-1.amazonaws.com");
  }
}
