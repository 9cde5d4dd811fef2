package dev.colony.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.Authenticator.Entry;
import dev.colony.server.Authenticator.OidcSettings;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is let in. */
class AuthenticatorTest {

  private static final Duration OFTEN = Duration.ofMillis(20);

  @TempDir private Path folder;

  @Test
  void withoutKeysNobodyListensBeyondThisMachine() {
    for (String host : List.of("0.0.0.0", "::", "10.1.2.3", "192.168.0.1")) {
      assertThatThrownBy(() -> Authenticator.open(AccessSettings.OPEN, host, OFTEN))
          .isInstanceOf(InvalidConfigurationException.class)
          .hasMessageContaining("colony.access.keys-file")
          .hasMessageContaining(host);
    }
    for (String host : List.of("127.0.0.1", "localhost", "::1", "127.0.0.9")) {
      assertThatCode(() -> Authenticator.check(AccessSettings.OPEN, host))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void withoutKeysOnlyThisMachinesNamesAreTaken() {
    try (Authenticator authenticator =
        Authenticator.open(AccessSettings.OPEN, "127.0.0.1", OFTEN)) {
      for (String host :
          List.of("localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "127.9.9.9")) {
        assertThat(authenticator.enter(Optional.empty(), host, Optional.empty()))
            .isEqualTo(new Entry.Admitted(Principal.LOCAL));
      }
      for (String host :
          List.of(
              "", "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.")) {
        assertThat(authenticator.enter(Optional.empty(), host, Optional.empty()))
            .isEqualTo(new Entry.ForeignHost(host));
      }
      assertThat(
              authenticator.enter(
                  Optional.empty(), "localhost", Optional.of("https://evil.example")))
          .isInstanceOf(Entry.ForeignHost.class);
      assertThat(authenticator.enter(Optional.empty(), "localhost", Optional.of("null")))
          .isInstanceOf(Entry.ForeignHost.class);
      assertThat(
              authenticator.enter(
                  Optional.empty(), "localhost", Optional.of("http://localhost:3000")))
          .isInstanceOf(Entry.Admitted.class);
    }
  }

  @Test
  void aFileThatCannotBeUsedStopsTheStart() throws Exception {
    refused(folder.resolve("none.json"), "there is no such file");
    refused(Files.writeString(folder.resolve("bad.json"), "{}"), "{\"keys\"");
    refused(folder, "cannot be read");
  }

  private static void refused(Path file, String why) {
    assertThatThrownBy(() -> Authenticator.open(settings(file), "0.0.0.0", OFTEN))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(why)
        .message()
        .doesNotContain("\n");
  }

  @Test
  void keysChangeWhileItRuns() throws Exception {
    Path file = folder.resolve("keys.json");
    write(file, "one");
    try (Authenticator authenticator = Authenticator.open(settings(file), "0.0.0.0", OFTEN)) {
      assertThat(admits(authenticator, "one")).isTrue();
      assertThat(admits(authenticator, "two")).isFalse();
      assertThat(authenticator.enter(Optional.empty(), "localhost", Optional.empty()))
          .isEqualTo(new Entry.NoKey());
      write(file, "two");
      await().until(() -> admits(authenticator, "two"));
      assertThat(admits(authenticator, "one")).isFalse();
    }
  }

  @Test
  void aMountedSecretIsSwappedByItsLink() throws Exception {
    Path old = Files.createDirectory(folder.resolve("..1"));
    Path young = Files.createDirectory(folder.resolve("..2"));
    write(old.resolve("keys.json"), "one");
    write(young.resolve("keys.json"), "two");
    Files.setLastModifiedTime(
        young.resolve("keys.json"), Files.getLastModifiedTime(old.resolve("keys.json")));
    Path data = Files.createSymbolicLink(folder.resolve("..data"), old.getFileName());
    Path file = Files.createSymbolicLink(folder.resolve("keys.json"), Path.of("..data/keys.json"));
    try (Authenticator authenticator = Authenticator.open(settings(file), "0.0.0.0", OFTEN)) {
      assertThat(admits(authenticator, "one")).isTrue();
      Path swap = Files.createSymbolicLink(folder.resolve("..new"), young.getFileName());
      Files.move(swap, data, StandardCopyOption.ATOMIC_MOVE);
      await().until(() -> admits(authenticator, "two"));
      assertThat(admits(authenticator, "one")).isFalse();
    }
  }

  @Test
  void aBadFileLeavesTheKeysOfBefore() throws Exception {
    Path file = folder.resolve("keys.json");
    write(file, "one");
    try (Authenticator authenticator = Authenticator.open(settings(file), "0.0.0.0", OFTEN)) {
      for (String bad : List.of("", "{", "{\"keys\": [{}]}")) {
        Files.writeString(file, bad);
        assertThat(admits(authenticator, "one")).as(bad).isTrue();
      }
      Files.delete(file);
      assertThat(admits(authenticator, "one")).isTrue();
      write(file, "two");
      await().until(() -> admits(authenticator, "two"));
      assertThat(admits(authenticator, "one")).isFalse();
    }
  }

  private static boolean admits(Authenticator authenticator, String key) {
    return authenticator.enter(Optional.of(key), "node-1:8080", Optional.empty())
        instanceof Entry.Admitted;
  }

  private static void write(Path file, String key) throws IOException {
    AccessKey known = AccessKey.of(new Principal(key, "acme", Role.VIEWER), key);
    Files.writeString(file, new KeyRing(List.of(known)).toJson().toString());
  }

  private static AccessSettings settings(Path file) {
    return new AccessSettings(Optional.of(file.toString()), OidcSettings.NONE);
  }
}
