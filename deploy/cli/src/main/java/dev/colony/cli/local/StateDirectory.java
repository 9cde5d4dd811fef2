package dev.colony.cli.local;

import dev.colony.blackboard.server.OwnerOnly;
import dev.colony.cli.local.UpRecord.RecordFile;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.vcm.mapping.MappingMemory;
import dev.colony.vcm.source.FileTreeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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

  private static final List<String> SUBDIRECTORIES = List.of("logs", "nodes", "redis");

  private final Path root;

  private StateDirectory(Path root) {
    this.root = root;
  }

  /**
   * The directory of a user who names none: that of {@code COLONY_STATE}, else {@code ~/.colony}
   * where a cluster has its state there, else {@code colony} in {@code XDG_STATE_HOME}, which is
   * {@code ~/.local/state} unless it is set.
   */
  public static Path usual() {
    return usual(System.getenv(), Path.of(System.getProperty("user.home")));
  }

  static Path usual(Map<String, String> environment, Path home) {
    String named = environment.getOrDefault("COLONY_STATE", "");
    if (!named.isEmpty()) {
      return Path.of(named);
    }
    Path former = home.resolve(".colony");
    if (Files.isDirectory(former.resolve("nodes"))) {
      return former;
    }
    String states = environment.getOrDefault("XDG_STATE_HOME", "");
    // The specification has a relative path ignored.
    Path base = states.startsWith("/") ? Path.of(states) : home.resolve(".local").resolve("state");
    return base.resolve("colony");
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
      boolean shared = shared(absolute);
      OwnerOnly.directory(absolute, shared ? FileTreeSource.NO_SOURCE : ".");
      if (!shared) {
        mark(absolute);
      }
      for (String one : SUBDIRECTORIES) {
        Path below = absolute.resolve(one);
        OwnerOnly.directory(below, ".");
        if (shared) {
          mark(below);
        }
      }
    } catch (IOException failure) {
      throw CommandFailure.badInput(
          "state directory " + root + ": cannot be written; give another with --state", failure);
    }
    return new StateDirectory(absolute);
  }

  /** Whether a directory holds other things than the state of a cluster. */
  private static boolean shared(Path root) throws IOException {
    if (!Files.isDirectory(root) || Files.exists(root.resolve(FileTreeSource.NO_SOURCE))) {
      return false;
    }
    if (SUBDIRECTORIES.stream().map(root::resolve).allMatch(Files::isDirectory)) {
      // One of an earlier version, unless it is known to be shared.
      return Files.exists(root.resolve("nodes").resolve(FileTreeSource.NO_SOURCE));
    }
    try (Stream<Path> entries = Files.list(root)) {
      return entries.findAny().isPresent();
    }
  }

  private static void mark(Path directory) throws IOException {
    Path mark = directory.resolve(FileTreeSource.NO_SOURCE);
    if (!Files.exists(mark)) {
      Path ignored = directory.resolve(".gitignore");
      if (!Files.exists(ignored)) {
        Files.writeString(ignored, "*\n");
      }
      Files.writeString(mark, "The state of a Colony cluster; it is not mapped.\n");
    }
  }

  public Path root() {
    return root;
  }

  public Path redis() {
    return root.resolve("redis");
  }

  /** Where a node's standard output and log go. */
  public Path log(String node) {
    return root.resolve("logs").resolve(node + ".log");
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
                    .formatted(root, holder())));
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
              .formatted(holder(), root));
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

  private String holder() {
    try {
      String holder = Files.readString(lockFile()).strip();
      return holder.isEmpty() ? "another process" : holder;
    } catch (IOException unknown) {
      return "another process";
    }
  }

  private Path lockFile() {
    return root.resolve("lock");
  }

  private Optional<Lock> tryLock(String purpose) {
    Path file = lockFile();
    try {
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      FileLock lock = tryLock(channel);
      if (lock == null) {
        channel.close();
        return Optional.empty();
      }
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(
              "%s (pid %d)"
                  .formatted(purpose, ProcessHandle.current().pid())
                  .getBytes(StandardCharsets.UTF_8)));
      return Optional.of(new Lock(channel));
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

  private static FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  public static final class Lock implements AutoCloseable {
    private final FileChannel channel;

    private Lock(FileChannel channel) {
      this.channel = channel;
    }

    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException failure) {
        throw new IllegalStateException("cannot release the state directory's lock", failure);
      }
    }
  }

  public static void deleteTree(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
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
