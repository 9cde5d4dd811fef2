package dev.colony.blackboard.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a cluster of one machine keeps what outlives its processes, Redis with its files first. One
 * cluster at a time uses it.
 *
 * <p>It may stand in a source tree: it is closed to other users, git ignores all that is in it, and
 * it is never mapped. Where it shares a directory with other things, this holds for its own
 * subdirectories.
 *
 * @param root absolute
 */
public record StateFolder(Path root) {

  /** Names the file by which a directory is known to hold state, and no source to be mapped. */
  public static final String MARK = ".colony-state";

  private static final List<String> SUBDIRECTORIES = List.of("logs", "nodes", "redis");

  /**
   * That of a user who names none: that of {@code COLONY_STATE}, else {@code ~/.colony} where a
   * cluster has its state there, else {@code colony} in {@code XDG_STATE_HOME}, which is {@code
   * ~/.local/state} unless it is set.
   */
  public static Path usual() {
    return usual(System.getenv(), Path.of(System.getProperty("user.home")));
  }

  /** The same of an environment and a home. */
  public static Path usual(Map<String, String> environment, Path home) {
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

  /** Creates the directory where it is missing, closed to other users of the machine. */
  public static StateFolder open(Path root) throws IOException {
    Path absolute = root.toAbsolutePath().normalize();
    boolean shared = shared(absolute);
    OwnerOnly.directory(absolute, shared ? MARK : ".");
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
    return new StateFolder(absolute);
  }

  /** Whether a directory holds other things than the state of a cluster. */
  private static boolean shared(Path root) throws IOException {
    if (!Files.isDirectory(root) || Files.exists(root.resolve(MARK))) {
      return false;
    }
    if (SUBDIRECTORIES.stream().map(root::resolve).allMatch(Files::isDirectory)) {
      // One of an earlier version, unless it is known to be shared.
      return Files.exists(root.resolve("nodes").resolve(MARK));
    }
    try (Stream<Path> entries = Files.list(root)) {
      return entries.findAny().isPresent();
    }
  }

  private static void mark(Path directory) throws IOException {
    Path mark = directory.resolve(MARK);
    if (!Files.exists(mark)) {
      Path ignored = directory.resolve(".gitignore");
      if (!Files.exists(ignored)) {
        Files.writeString(ignored, "*\n");
      }
      Files.writeString(mark, "The state of a Colony cluster; it is not mapped.\n");
    }
  }

  public Path redis() {
    return root.resolve("redis");
  }

  /** Who holds the directory, for a person who finds it in use. */
  public String holder() {
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

  /**
   * Claims the directory until the returned lock is closed or the process ends; empty where another
   * holds it.
   *
   * @param purpose who holds it, as {@link #holder} says
   */
  public Optional<Lock> tryLock(String purpose) throws IOException {
    FileChannel channel =
        FileChannel.open(
            lockFile(),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    if (lock(channel) == null) {
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
  }

  private static FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  /** A claim on a directory. */
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

  /** Deletes a directory and all that is in it. */
  public static void deleteTree(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
