package dev.colony.cli;

import dev.colony.blackboard.redis.TenantRights;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.journal.Journal.JournalRights;
import dev.colony.server.KeyRing;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.MountedFiles;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "access",
    description = "Says how to let others reach agents, and no more than theirs.",
    subcommands = AccessCommand.RedisAclCommand.class)
final class AccessCommand {

  @Command(
      name = "redis-acl",
      description =
          "Prints the Redis command that makes a user for programs of one tenant: with it"
              + " a ColonyClient does all that it does with that tenant's agents and scopes, and"
              + " is refused every other tenant's.")
  static final class RedisAclCommand implements Callable<Integer> {

    /** What no rule changes, for an operator who decides which program to give such a user. */
    private static final List<String> SHARED =
        List.of(
            "Redis parts the tenants' entries, events, results and journals. It cannot part what"
                + " they",
            "share: such a user may also put requests into the inbox for any agent, read and"
                + " remove",
            "those that wait there, see the names of all scopes, put the cluster time ahead, and"
                + " overwrite",
            "what says how the data are laid out. Give it to programs that you trust so far; to"
                + " others, a key of the HTTP API.");

    @Option(
        names = "--tenant",
        required = true,
        paramLabel = "T",
        description = "Whose agents it reaches.")
    private String tenant;

    @Option(
        names = "--user",
        paramLabel = "NAME",
        description = "The user's name; without, colony-TENANT. One that exists is made anew.")
    private String user;

    @Override
    public Integer call() {
      System.out.println(rule());
      SHARED.forEach(System.err::println);
      return ExitCode.OK.status();
    }

    private String rule() {
      return BoardOptions.refusing(() ->
          Stream.of(
                  Stream.of("ACL", "SETUSER", user == null ? "colony-" + tenant : user),
                  Stream.of("reset", "on", ">PASSWORD"),
                  TenantRights.of(tenant).stream(),
                  JournalRights.of(tenant).stream())
              .flatMap(words -> words)
              .collect(Collectors.joining(" ")));
    }
  }

  @Command(
      name = "key",
      description = {
        "Makes a key to the HTTP API, and shows it once: the node knows only a digest of it.",
        "Adds it to a file of keys with --file; without, prints what is to be added.",
      })
  static final class KeyCommand implements Callable<Integer> {

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

    /**
     * The file as a whole takes the place of the one before, so that nodes never read half of it.
     */
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
      PosixFileAttributeView after =
          Files.getFileAttributeView(whole, PosixFileAttributeView.class);
      if (!before.owner().equals(after.readAttributes().owner())) {
        after.setOwner(before.owner());
      }
      if (!before.group().equals(after.readAttributes().group())) {
        after.setGroup(before.group());
      }
      after.setPermissions(before.permissions());
    }

    private CommandFailure refused(String why) {
      return CommandFailure.badInput("the key cannot be added to %s: %s".formatted(file, why));
    }

    private KeyRing standing() throws IOException {
      try {
        return KeyRing.parse(Text.ofFile(file, MountedFiles.MOST_BYTES));
      } catch (NoSuchFileException none) {
        return new KeyRing(List.of());
      }
    }
  }
}
