package dev.colony.cli;

import dev.colony.blackboard.value.Text;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.server.access.AccessKey;
import dev.colony.server.access.KeyRing;
import dev.colony.server.access.KeysFile;
import dev.colony.server.access.Principal;
import dev.colony.server.access.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a key to the HTTP API. */
@Command(
    name = "key",
    mixinStandardHelpOptions = true,
    description = {
      "Makes a key to the HTTP API, and shows it once: the node knows only a digest of it.",
      "Adds it to a file of keys with --file; without, prints what is to be added.",
    })
final class KeyCommand implements Callable<Integer> {

  @Parameters(paramLabel = "NAME", description = "Of the key, for people; no two are the same.")
  private String name;

  @Option(
      names = "--tenant",
      required = true,
      paramLabel = "T",
      description = "Whose agents and entries it reaches; * for all tenants'.")
  private String tenant;

  @Option(
      names = "--role",
      required = true,
      description = {
        "viewer looks; operator asks, tells and spawns as well; admin also stops agents.",
      })
  private Role role;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description =
          "The file of keys, which colony.access.keys-file names; made if it is not there.")
  private Path file;

  @Override
  public Integer call() {
    String key = AccessKey.random();
    AccessKey known =
        BoardOptions.refusing(() -> AccessKey.of(new Principal(name, tenant, role), key));
    if (file == null) {
      System.err.println("add this to the file of keys, within {\"keys\": [...]}:");
      System.err.println(known.toJson());
    } else {
      add(known);
    }
    System.out.println(key);
    return ExitCode.OK.status();
  }

  /** The file as a whole takes the place of the one before, so that nodes never read half of it. */
  private void add(AccessKey known) {
    Path folder = file.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder)) {
      throw refused("there is no folder " + folder);
    }
    try {
      List<AccessKey> keys = new ArrayList<>(standing().keys());
      if (keys.stream().anyMatch(key -> key.principal().name().equals(name))) {
        throw refused(
            "a key named %s is there already: give another name, or take its entry out"
                .formatted(name));
      }
      keys.add(known);
      replace(folder, new KeyRing(keys).toJson().toPrettyString() + "\n");
    } catch (IOException | IllegalArgumentException failure) {
      throw refused(failure instanceof IOException ? failure.toString() : failure.getMessage());
    }
  }

  private void replace(Path folder, String content) throws IOException {
    Path whole =
        Files.createTempFile(
            folder,
            "keys",
            ".new",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(whole, content);
      if (Files.exists(file)) {
        keepRights(whole);
      }
      Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(whole);
    }
  }

  /** A user who may read the file may read the new one, too: a node may be another user's. */
  private void keepRights(Path whole) throws IOException {
    PosixFileAttributes before = Files.readAttributes(file, PosixFileAttributes.class);
    PosixFileAttributeView after = Files.getFileAttributeView(whole, PosixFileAttributeView.class);
    if (!before.owner().equals(after.readAttributes().owner())) {
      after.setOwner(before.owner());
    }
    if (!before.group().equals(after.readAttributes().group())) {
      after.setGroup(before.group());
    }
    after.setPermissions(before.permissions());
  }

  private CommandFailure refused(String why) {
    return new CommandFailure(
        ExitCode.BAD_INPUT, "the key cannot be added to %s: %s".formatted(file, why));
  }

  private KeyRing standing() throws IOException {
    try {
      return KeyRing.parse(Text.ofFile(file, KeysFile.MOST_BYTES));
    } catch (NoSuchFileException none) {
      return new KeyRing(List.of());
    }
  }
}
