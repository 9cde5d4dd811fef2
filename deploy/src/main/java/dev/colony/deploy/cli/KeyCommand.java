package dev.colony.deploy.cli;

import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.access.AccessKey;
import dev.colony.deploy.access.KeyRing;
import dev.colony.deploy.access.Principal;
import dev.colony.deploy.access.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
      description = "Whose agents and entries it reaches; * for everybody's.")
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

  private void add(AccessKey known) {
    try {
      List<AccessKey> keys = new ArrayList<>(standing().keys());
      keys.add(known);
      Path whole =
          Files.createTempFile(
              file.toAbsolutePath().getParent(),
              "keys",
              ".new",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(whole, new KeyRing(keys).toJson().toPrettyString() + "\n");
      Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | IllegalArgumentException failure) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "the key cannot be added to %s: %s".formatted(file, failure.getMessage()),
          failure);
    }
  }

  private KeyRing standing() throws IOException {
    try {
      return KeyRing.parse(Files.readString(file));
    } catch (NoSuchFileException none) {
      return new KeyRing(List.of());
    }
  }
}
