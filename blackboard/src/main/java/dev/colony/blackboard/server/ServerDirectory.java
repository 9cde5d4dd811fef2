package dev.colony.blackboard.server;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.server.ProcessState.Pause;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files that a server and those who look for it share. */
record ServerDirectory(Path path) {

  private static final long LOCK_POLL_MILLIS = 20;
  private static final String PASSWORD = "redis.password";
  private static final int PASSWORD_BYTES = 32;

  /** Where Redis 7 and later append, counted up at each rewriting. */
  private static final Pattern PART = Pattern.compile("appendonly\\.aof\\.(\\d{1,9})\\.incr\\.aof");

  /**
   * A file lock belongs to the whole JVM, and closing any channel on the file gives it up; so
   * threads of one JVM take turns here first.
   */
  private static final Map<Path, ReentrantLock> IN_THIS_JVM = new ConcurrentHashMap<>();

  /** Creates it where it is missing, closed to other users of the machine. */
  static ServerDirectory open(Path path) {
    try {
      OwnerOnly.directory(path, "redis.port");
      if (!Files.isWritable(path)) {
        throw new IOException("not writable");
      }
      return new ServerDirectory(path.toRealPath());
    } catch (IOException failure) {
      throw unusable(path, failure);
    }
  }

  /** Runs it while no other process of ours starts or stops the server of this directory. */
  <T> T locked(long timeoutMillis, Supplier<T> action) {
    Deadline deadline = Deadline.in(Duration.ofMillis(timeoutMillis));
    ReentrantLock turn = IN_THIS_JVM.computeIfAbsent(path, any -> new ReentrantLock());
    try {
      if (!turn.tryLock(timeoutMillis, TimeUnit.MILLISECONDS)) {
        throw heldTooLong(timeoutMillis);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new BlackboardException(
          Reason.INTERRUPTED, "interrupted while starting Redis", interrupted);
    }
    try (FileChannel channel =
        FileChannel.open(
            path.resolve("redis.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (true) {
        try (FileLock held = channel.tryLock()) {
          if (held != null) {
            return action.get();
          }
        }
        if (deadline.passed()) {
          throw heldTooLong(timeoutMillis);
        }
        Pause.millis(LOCK_POLL_MILLIS);
      }
    } catch (IOException failure) {
      throw unusable(path, failure);
    } finally {
      turn.unlock();
    }
  }

  private BlackboardException heldTooLong(long timeoutMillis) {
    return new BlackboardException(
        Reason.BUSY,
        "another process has been starting or stopping the Redis server of "
            + path
            + " for more than "
            + timeoutMillis
            + " ms; wait for it, or end it");
  }

  private static BlackboardException unusable(Path path, IOException failure) {
    return new BlackboardException(
        Reason.SERVER,
        "the state directory " + path + " cannot be used: " + reason(failure),
        failure);
  }

  OptionalInt port() {
    return number("redis.port").map(n -> OptionalInt.of(n.intValue())).orElse(OptionalInt.empty());
  }

  void rememberPort(int port) {
    write("redis.port", Integer.toString(port));
  }

  Path passwordFile() {
    return path.resolve(PASSWORD);
  }

  Path configuration() {
    return path.resolve("redis.conf");
  }

  /** What clients of the server show; empty where it wants none. */
  Optional<String> password() {
    try {
      return Optional.of(Files.readString(passwordFile()).strip())
          .filter(password -> !password.isEmpty());
    } catch (NoSuchFileException none) {
      return Optional.empty();
    } catch (IOException failure) {
      throw unusable(path, failure);
    }
  }

  /**
   * Keeps the password that is there, makes one, or forgets it, for the server that starts next.
   */
  private Optional<String> choosePassword(ServerSettings settings) throws IOException {
    if (!settings.password()) {
      Files.deleteIfExists(passwordFile());
    } else if (password().isEmpty()) {
      byte[] random = new byte[PASSWORD_BYTES];
      new SecureRandom().nextBytes(random);
      write(PASSWORD, HexFormat.of().formatHex(random));
    }
    return password();
  }

  /** The pid that the server wrote, unless that process has ended. */
  OptionalLong runningPid() {
    Optional<Long> pid = number("redis.pid");
    if (pid.isEmpty() || !ProcessState.runningServerSince(pid.get(), modified("redis.pid"))) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(pid.get());
  }

  /** Whether the data here are in the format of Redis 7 and later, which a 6.2 does not see. */
  boolean holdsMultiPartData() {
    return Files.isDirectory(path.resolve("appendonlydir"));
  }

  /**
   * Whether there is a copy of a server's memory to begin with, and nothing newer: a server that
   * was killed before it had written its first append-only file leaves an empty one, or none that
   * its manifest names.
   */
  boolean holdsSnapshotOnly() {
    return path.resolve("dump.rdb").toFile().isFile()
        && path.resolve("appendonly.aof").toFile().length() == 0
        && !Files.exists(path.resolve("appendonlydir").resolve("appendonly.aof.manifest"));
  }

  /** The one that was written to last; none before the first start. */
  Optional<Path> appendOnlyFile() throws IOException {
    if (!holdsMultiPartData()) {
      return Optional.of(path.resolve("appendonly.aof")).filter(Files::exists);
    }
    try (Stream<Path> parts = Files.list(path.resolve("appendonlydir"))) {
      return parts
          .filter(part -> PART.matcher(part.getFileName().toString()).matches())
          .max(Comparator.comparingInt(ServerDirectory::number));
    }
  }

  private static int number(Path part) {
    Matcher name = PART.matcher(part.getFileName().toString());
    return name.matches() ? Integer.parseInt(name.group(1)) : 0;
  }

  /** Puts the last run's log aside and forgets its pid, before a new start. */
  void clear() {
    try {
      if (Files.exists(log())) {
        Files.move(log(), path.resolve("redis.log.1"), StandardCopyOption.REPLACE_EXISTING);
      }
      Files.deleteIfExists(path.resolve("redis.pid"));
    } catch (IOException failure) {
      throw unusable(path, failure);
    }
  }

  Path log() {
    return path.resolve("redis.log");
  }

  List<String> logLines() {
    try {
      return Files.readAllLines(log(), StandardCharsets.ISO_8859_1);
    } catch (IOException noneYet) {
      return List.of();
    }
  }

  /**
   * Writes the server's configuration and says where it is. A server that has an append-only file
   * to look for looks for nothing else, so one that is to begin with a snapshot has none at first.
   */
  Path configure(ServerSettings settings, int port) {
    String requirement;
    try {
      requirement = choosePassword(settings).map(it -> "requirepass " + it + "\n").orElse("");
    } catch (IOException failure) {
      throw unusable(path, failure);
    }
    write(
        "redis.conf",
        """
        bind 127.0.0.1
        port %d
        daemonize yes
        pidfile %s
        logfile %s
        dir %s
        databases 1
        save ""
        appendonly %s
        appendfsync %s
        aof-load-truncated no
        lazyfree-lazy-expire yes
        """
                .formatted(
                    port,
                    quoted(path.resolve("redis.pid")),
                    quoted(log()),
                    quoted(path),
                    holdsSnapshotOnly() ? "no" : "yes",
                    settings.fsync().word())
            + requirement);
    return configuration();
  }

  private static String quoted(Path path) {
    return '"' + path.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private Optional<Long> number(String file) {
    try {
      return Optional.of(Long.valueOf(Files.readString(path.resolve(file)).trim()));
    } catch (IOException | NumberFormatException noneThere) {
      return Optional.empty();
    }
  }

  private Instant modified(String file) {
    try {
      return Files.getLastModifiedTime(path.resolve(file)).toInstant();
    } catch (IOException gone) {
      return Instant.MIN;
    }
  }

  private void write(String file, String text) {
    try {
      OwnerOnly.write(path.resolve(file), text);
    } catch (IOException failure) {
      throw unusable(path, failure);
    }
  }

  private static String reason(IOException failure) {
    return switch (failure) {
      case AccessDeniedException denied -> "permission denied";
      case FileAlreadyExistsException file -> "it is a file";
      case NoSuchFileException missing -> "it is missing";
      default -> failure.getMessage();
    };
  }
}
