package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.server.KeyRing;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How keys are made. */
class KeyCommandTest {

  @TempDir private Path folder;

  @Test
  void keysAreAddedToAFileThatOnlyItsOwnerReads() throws Exception {
    Path file = folder.resolve("keys.json");
    String ci = made("ci", "--tenant", "acme", "--role", "operator", "--file", file.toString());
    String root = made("root", "--tenant", "*", "--role", "admin", "--file", file.toString());
    String content = Files.readString(file);
    KeyRing ring = KeyRing.parse(content);
    assertThat(ring.holder(ci)).contains(new Principal("ci", "acme", Role.OPERATOR));
    assertThat(ring.holder(root)).contains(new Principal("root", "*", Role.ADMIN));
    assertThat(content).doesNotContain(ci, root);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void whoeverReadsTheFileReadsTheNewOneToo() throws Exception {
    Path file = folder.resolve("keys.json");
    made("ci", "--tenant", "acme", "--role", "viewer", "--file", file.toString());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    UserPrincipal owner = Files.getOwner(file);
    made("ops", "--tenant", "acme", "--role", "admin", "--file", file.toString());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r-----");
    assertThat(Files.getOwner(file)).isEqualTo(owner);
  }

  @Test
  void withoutAFileItSaysWhatIsToBeAdded() {
    Finished made = CommandLineRun.of("key", "ci", "--tenant", "acme", "--role", "viewer");
    assertThat(made.status()).isZero();
    String entry = made.err().lines().skip(1).findFirst().orElseThrow();
    assertThat(KeyRing.parse("{\"keys\": [" + entry + "]}").holder(made.out().strip()))
        .contains(new Principal("ci", "acme", Role.VIEWER));
  }

  @Test
  void whatCannotBeUsedIsRefused() throws Exception {
    Path file = folder.resolve("keys.json");
    made("ci", "--tenant", "acme", "--role", "viewer", "--file", file.toString());
    String before = Files.readString(file);
    refused(
        "a key named ci is there already",
        "ci",
        "--tenant",
        "acme",
        "--role",
        "viewer",
        "--file",
        file.toString());
    assertThat(Files.readString(file)).isEqualTo(before);
    refused(
        "a key is not named local",
        "local",
        "--tenant",
        "*",
        "--role",
        "admin",
        "--file",
        file.toString());
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(file);
    }
    refused("tenant must be", "x", "--tenant", "a b", "--role", "viewer");
    refused("boss", "x", "--tenant", "acme", "--role", "boss");
    refused("--tenant", "x", "--role", "viewer");
    refused(
        "there is no folder " + folder.resolve("no"),
        "x",
        "--tenant",
        "a",
        "--role",
        "viewer",
        "--file",
        folder.resolve("no/keys").toString());
  }

  private static String made(String... arguments) {
    Finished done = run(arguments);
    assertThat(done.status()).as(done.err()).isZero();
    return done.out().strip();
  }

  private static void refused(String why, String... arguments) {
    Rig.assertOneLine(run(arguments), 2, why);
  }

  private static Finished run(String... arguments) {
    String[] line = new String[arguments.length + 1];
    line[0] = "key";
    System.arraycopy(arguments, 0, line, 1, arguments.length);
    return CommandLineRun.of(line);
  }
}
