package dev.colony.cli.local;

import dev.colony.blackboard.server.StateFolder;
import dev.colony.blackboard.server.StateFolder.Lock;
import dev.colony.cli.local.UpRecord.RecordFile;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.vcm.mapping.MappingMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where one local cluster keeps what outlives its processes: Redis with its append-only file, the
 * logs, and who is running. One cluster at a time uses it.
 *
 * <p>It may stand in a source tree: it is closed to other users, git ignores all that is in it, and
 * it is never mapped. Where it shares a directory with other things, this holds for its own
 * subdirectories.
 */
public final class StateDirectory {

  private static final long LOOK_EVERY_MILLIS = 200;

  /** Files of one log beside the present one. */
  static final int PREVIOUS_LOGS = 3;

  private final StateFolder folder;
  private final Path root;

  private StateDirectory(StateFolder folder) {
    this.folder = folder;
    this.root = folder.root();
  }

  /**
   * Creates the directory where it is missing, closed to other users of the machine.
   *
   * @throws CommandFailure if it cannot be created or written
   */
  public static StateDirectory open(Path root) {
    Path absolute = root.toAbsolutePath().normalize();
    if (Files.exists(absolute) && !Files.isDirectory(absolute)) {
      throw CommandFailure.badInput("state directory " + root + ": is a file, give a directory");
    }
    try {
      return new StateDirectory(StateFolder.open(absolute));
    } catch (IOException failure) {
      throw CommandFailure.badInput(
          "state directory " + root + ": cannot be written; give another with --state", failure);
    }
  }

  public Path root() {
    return root;
  }

  public Path redis() {
    return folder.redis();
  }

  /** The indexes over the pages that are in Redis, which hold their text too. */
  public Path indexes() {
    return redis().resolve("indexes");
  }

  /** Where a node's standard output and log go. */
  public Path log(String node) {
    return root.resolve("logs").resolve(node + ".log");
  }

  /** The nodes that have logged, by their names. */
  public List<String> loggedNodes() throws IOException {
    if (!Files.isDirectory(root.resolve("logs"))) {
      return List.of();
    }
    try (Stream<Path> logs = Files.list(root.resolve("logs"))) {
      return logs.map(log -> log.getFileName().toString())
          .filter(name -> name.matches("node-\\d+\\.log"))
          .map(name -> name.replaceFirst("\\.log$", ""))
          .sorted(Comparator.comparingInt(String::length).thenComparing(Function.identity()))
          .toList();
    }
  }

  /**
   * What the node had logged before, its process before the present one too.
   *
   * @param number 1 for the youngest, to {@link #PREVIOUS_LOGS}
   */
  Path previousLog(String node, int number) {
    return root.resolve("logs").resolve(node + ".log." + number);
  }

  /** What a started node says of itself; absent until it is ready. */
  public Path nodeRecord(String node) {
    return nodeRecords().resolve(node + ".json");
  }

  Path nodeRecords() {
    return root.resolve("nodes");
  }

  /** What {@code colony up} started. */
  Path upRecord() {
    return root.resolve("up.json");
  }

  /** Who starts again what {@code colony up} started. */
  Path supervisorRecord() {
    return root.resolve("supervisor.json");
  }

  /**
   * Claims the directory until the returned lock is closed or the process ends.
   *
   * @param purpose who holds it, shown to a user who finds it in use
   * @throws CommandFailure if another process holds it
   */
  public Lock lock(String purpose) {
    return tryLock(purpose)
        .orElseThrow(() ->
            new CommandFailure(
                ExitCode.IN_USE,
                "state directory %s is in use by %s: wait for it, or give another with --state"
                    .formatted(root, folder.holder())));
  }

  /**
   * Claims the directory as {@link #lock} does, and waits as long as another process holds it.
   *
   * @param notice told once who is waited for
   */
  Lock awaitLock(String purpose, Consumer<String> notice) {
    Optional<Lock> lock = tryLock(purpose);
    if (lock.isEmpty()) {
      notice.accept(
          "waiting for %s, which is at work in %s; --state DIR works beside it"
              .formatted(folder.holder(), root));
    }
    while (lock.isEmpty()) {
      try {
        TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MILLIS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
      }
      lock = tryLock(purpose);
    }
    return lock.get();
  }

  private Optional<Lock> tryLock(String purpose) {
    try {
      return folder.tryLock(purpose);
    } catch (IOException failure) {
      throw CommandFailure.badInput(
          "state directory " + root + ": " + failure.getMessage(), failure);
    }
  }

  /** Does something under {@link #lock}. */
  public <T> T locked(String purpose, Supplier<T> work) {
    Lock held = lock(purpose);
    try {
      return work.get();
    } finally {
      held.close();
    }
  }

  /**
   * What is known of the sources that were mapped last from this machine, in files of the state
   * directory, without any text: a source is mapped again by what has changed since. What cannot be
   * read or written is passed over, with a line in the log: then a source is read as a whole.
   */
  public static final class KeptMappings {

    private static final Logger LOG = LoggerFactory.getLogger(KeptMappings.class);

    private static final String ENDING = ".json";

    /** Only the operator who maps a source may read the names of its files. */
    private static final FileAttribute<?> OWNERS =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final FileAttribute<?> OWNERS_DIRECTORY =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Sources, those that were mapped last. One takes about 1 KB a file. */
    private static final int MOST = 32;

    private final Path directory;

    public KeptMappings(StateDirectory state) {
      directory = state.root().resolve("mappings");
    }

    /** What is known of a source; empty where nothing is, or it cannot be read. */
    public Optional<MappingMemory> of(String source) {
      try {
        return RecordFile.read(file(source), MappingMemory.class);
      } catch (UncheckedIOException damaged) {
        LOG.info("{} is mapped anew: {}", source, damaged.toString());
        return Optional.empty();
      }
    }

    public Path place(String source) {
      return file(source).toAbsolutePath();
    }

    /** Keeps what is known of a source, and forgets those that were mapped longest ago. */
    public void keep(String source, MappingMemory memory) {
      try {
        Files.createDirectories(directory, OWNERS_DIRECTORY);
        RecordFile.write(file(source), memory, OWNERS);
        forget();
      } catch (IOException | UncheckedIOException full) {
        LOG.warn("what is known of {} is not kept: {}", source, full.toString());
      }
    }

    private void forget() throws IOException {
      List<Path> kept;
      try (Stream<Path> files = Files.list(directory)) {
        kept =
            files
                .filter(file -> file.toString().endsWith(ENDING))
                .sorted(
                    Comparator.comparingLong((Path file) -> file.toFile().lastModified())
                        .reversed())
                .toList();
      }
      for (Path file : kept.subList(Math.min(MOST, kept.size()), kept.size())) {
        Files.deleteIfExists(file);
      }
    }

    /** A source may be named relative to where the command is called. */
    private Path file(String source) {
      String name = Path.of("").toAbsolutePath() + "\n" + source;
      try {
        byte[] hash =
            MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
        return directory.resolve(HexFormat.of().formatHex(hash, 0, 16) + ENDING);
      } catch (NoSuchAlgorithmException everyJdkHasIt) {
        throw new IllegalStateException(everyJdkHasIt);
      }
    }
  }
}
