package dev.colony.blackboard.server;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.server.ProcessState.Pause;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.model.OsArchitecture;

/**
 * One start of a server, under the directory's lock. The server puts itself into a session of its
 * own ({@code daemonize}), so neither the death of this JVM nor a Ctrl-C at its terminal reaches
 * it; what went wrong is therefore read from its log.
 */
final class ServerStart {

  /**
   * Below the ports that systems hand out to outgoing connections: a client that keeps trying a
   * port of that range while the server is down may in the end connect to itself and hold the port.
   */
  private static final int FIRST_PORT = 20_000;

  private static final int LAST_PORT = 29_999;
  private static final Logger LOG = LoggerFactory.getLogger(ServerStart.class);

  private static final int PORT_ATTEMPTS = 50;
  private static final long POLL_MILLIS = 10;
  private static final int LOG_LINES_SHOWN = 3;
  private static final Pattern LOG_PID = Pattern.compile("^(\\d+):[A-Z] ");

  private final ServerDirectory directory;
  private final ServerSettings settings;
  private Optional<String> cutOff = Optional.empty();

  ServerStart(ServerDirectory directory, ServerSettings settings) {
    this.directory = directory;
    this.settings = settings;
  }

  /** The server that already runs here and answers; waits for one that is still loading. */
  Optional<ServerProbe.Identity> adopt() {
    OptionalLong pid = directory.runningPid();
    if (directory.port().isEmpty()) {
      if (pid.isPresent()) {
        throw new BlackboardException(
            Reason.SERVER,
            "%s has lost redis.port, but its Redis server (pid %d) runs; end that process first"
                .formatted(directory.path(), pid.getAsLong()));
      }
      return Optional.empty();
    }
    int port = directory.port().getAsInt();
    if (ours(port).isEmpty()) {
      refuseUnknownPassword(directory);
      if (pid.isEmpty()) {
        return Optional.empty();
      }
    }
    if (settings.port() != 0 && settings.port() != port) {
      throw new BlackboardException(
          Reason.SERVER,
          "the Redis server of %s already runs on port %d, but port %d was asked for"
              .formatted(directory.path(), port, settings.port()));
    }
    return Optional.of(awaitReady(port));
  }

  /**
   * A server that runs and wants another password than the directory keeps would be waited for in
   * vain, or a second one started on its files.
   *
   * @throws BlackboardException if the directory's server is such a one, or may be
   */
  static void refuseUnknownPassword(ServerDirectory directory) {
    OptionalLong pid = directory.runningPid();
    Optional<String> password = directory.password();
    if (directory.port().isEmpty()
        || pid.isEmpty() && password.isPresent()
        || !ServerProbe.refuses(directory.port().getAsInt(), password)) {
      return;
    }
    throw new BlackboardException(
        Reason.SERVER,
        "the Redis server on port %d%s wants a password, and %s %s: write there what stands behind requirepass in %s, or end that process, and the next start makes a new password"
            .formatted(
                directory.port().getAsInt(),
                pid.isPresent() ? " (pid " + pid.getAsLong() + ")" : "",
                directory.passwordFile(),
                password.isPresent()
                    ? "holds another"
                    : Files.exists(directory.passwordFile()) ? "is empty" : "is missing",
                directory.configuration()));
  }

  /** What this start has cut off the append-only file, in one line that says where it is kept. */
  Optional<String> cutOff() {
    return cutOff;
  }

  ServerProbe.Identity start() {
    RedisBinary binary = RedisBinary.choose(settings);
    if (directory.holdsMultiPartData() && binary.major() < 7) {
      throw new BlackboardException(
          Reason.SERVER,
          "the data in "
              + directory.path()
              + " were written by Redis 7 or newer; put such a redis-server on the PATH");
    }
    int port = choosePort();
    mend(binary);
    directory.clear();
    directory.rememberPort(port);
    launch(binary, port);
    return awaitReady(port);
  }

  private void mend(RedisBinary binary) {
    try {
      Optional<Path> file = directory.appendOnlyFile();
      if (file.isPresent()) {
        switch (TornCommit.cutOff(binary, file.get(), directory.path(), settings.startTimeout())) {
          case TornCommit.End.Whole whole -> {}
          case TornCommit.End.CutOff torn -> {
            cutOff = Optional.of(torn.said());
            LOG.warn(torn.said());
          }
          case TornCommit.End.Damaged damaged ->
              throw failed(
                  "%s is damaged at byte %d, not just torn off at its end: restore a backup, or mend a copy with redis-check-aof"
                      .formatted(damaged.file(), damaged.at()),
                  null);
        }
      }
    } catch (IOException failure) {
      throw failed("its append-only file cannot be checked: " + failure.getMessage(), failure);
    }
  }

  private int choosePort() {
    if (settings.port() != 0) {
      if (!ServerProbe.free(settings.port())) {
        throw new BlackboardException(
            Reason.SERVER,
            "port " + settings.port() + " for Redis is taken by another process; free it");
      }
      return settings.port();
    }
    int remembered = directory.port().orElse(0);
    if (remembered != 0 && ServerProbe.free(remembered)) {
      return remembered;
    }
    for (int attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT + 1);
      if (ServerProbe.free(port)) {
        return port;
      }
    }
    throw new BlackboardException(
        Reason.BUSY, "no free port for Redis between " + FIRST_PORT + " and " + LAST_PORT);
  }

  private void launch(RedisBinary binary, int port) {
    try {
      Process launcher =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  // what the server writes holds all that agents know
                  "umask 077; exec \"$0\" \"$1\"",
                  binary.path().toString(),
                  directory.configure(settings, port).toString())
              .directory(directory.path().toFile())
              .redirectErrorStream(true)
              .start();
      launcher.getOutputStream().close();
      // Ends when the server has gone into the background: it closes the pipe then.
      String said =
          new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (!launcher.waitFor(settings.startTimeout().toMillis(), TimeUnit.MILLISECONDS)) {
        launcher.destroyForcibly();
        throw failed("it does not go into the background", null);
      }
      if (launcher.exitValue() != 0) {
        throw failed(lastOf(said.lines().filter(line -> !line.isBlank()).toList()), null);
      }
    } catch (IOException failure) {
      throw failed(failure.getMessage(), failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw failed("interrupted", interrupted);
    }
  }

  private ServerProbe.Identity awaitReady(int port) {
    Deadline deadline = Deadline.in(settings.startTimeout());
    Optional<ServerProbe.Identity> found = ours(port);
    while (found.isEmpty() || found.get().loading()) {
      if (found.isEmpty() && ended()) {
        throw failed(lastOf(directory.logLines()), null);
      }
      if (deadline.passed()) {
        String state = found.isPresent() ? "is still loading its data" : "does not answer";
        throw new BlackboardException(
            found.isPresent() ? Reason.LOADING : Reason.TIMEOUT,
            "the Redis server of %s on port %d %s after %d s"
                .formatted(directory.path(), port, state, settings.startTimeout().toSeconds()));
      }
      Pause.millis(POLL_MILLIS);
      found = ours(port);
    }
    return found.get().appends() ? found.get() : awaitAppending(port, deadline);
  }

  /** A server that began with a snapshot; it is not used before what it acknowledges is kept. */
  private ServerProbe.Identity awaitAppending(int port, Deadline deadline) {
    try {
      ServerProbe.append(port, directory.password());
    } catch (IOException failure) {
      throw failed("it does not begin an append-only file: " + failure.getMessage(), failure);
    }
    Optional<ServerProbe.Identity> found = ours(port);
    while (found.isEmpty() || !found.get().appends() || found.get().rewriting()) {
      if (deadline.passed()) {
        throw failed(
            "it has not written its append-only file after %d s"
                .formatted(settings.startTimeout().toSeconds()),
            null);
      }
      Pause.millis(POLL_MILLIS);
      found = ours(port);
    }
    return found.get();
  }

  private Optional<ServerProbe.Identity> ours(int port) {
    return ServerProbe.ask(port, directory.password())
        .filter(identity -> identity.directory().equals(directory.path().toString()));
  }

  /** Whether the process that wrote the log runs no more; one that has written nothing may come. */
  private boolean ended() {
    for (String line : directory.logLines()) {
      Matcher pid = LOG_PID.matcher(line);
      if (pid.find()) {
        return !ProcessState.running(Long.parseLong(pid.group(1)));
      }
    }
    return false;
  }

  private BlackboardException failed(String why, Throwable cause) {
    return new BlackboardException(
        Reason.SERVER,
        "the Redis server of " + directory.path() + " does not start: " + why,
        cause);
  }

  private static String lastOf(List<String> lines) {
    return String.join(
        " | ", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
  }

  /**
   * A redis-server executable.
   *
   * @param major the first number of its version
   */
  record RedisBinary(Path path, int major) {

    /** The carried server is a 6.2: only a newer series is worth preferring to it. */
    private static final int CARRIED_MAJOR = 6;

    private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.\\d+");

    /** The one on the PATH where it is newer, otherwise the carried one, unpacked once. */
    static RedisBinary choose(ServerSettings settings) {
      return (settings.carried() ? Optional.<RedisBinary>empty() : onPath())
          .filter(binary -> binary.major() > CARRIED_MAJOR)
          .orElseGet(() -> new RedisBinary(unpack(settings.directory()), CARRIED_MAJOR));
    }

    private static Optional<RedisBinary> onPath() {
      String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
      for (String folder : path.split(Pattern.quote(File.pathSeparator))) {
        if (!folder.isEmpty()) {
          Path candidate = Path.of(folder, "redis-server");
          if (Files.isExecutable(candidate)) {
            return major(candidate).map(major -> new RedisBinary(candidate, major));
          }
        }
      }
      return Optional.empty();
    }

    private static Optional<Integer> major(Path binary) {
      try {
        Process process =
            new ProcessBuilder(binary.toString(), "--version").redirectErrorStream(true).start();
        process.getOutputStream().close();
        if (!process.waitFor(5, TimeUnit.SECONDS)) {
          process.destroyForcibly();
          return Optional.empty();
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher version = VERSION.matcher(said);
        return version.find() ? Optional.of(Integer.valueOf(version.group(1))) : Optional.empty();
      } catch (IOException doesNotRun) {
        return Optional.empty();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new BlackboardException(
            Reason.INTERRUPTED, "interrupted while starting Redis", interrupted);
      }
    }

    private static Path unpack(Path directory) {
      String resource =
          ExecutableProvider.newProvidedVersionsMap().get(OsArchitecture.detectOSandArchitecture());
      if (resource == null) {
        throw new BlackboardException(
            Reason.SERVER,
            "no Redis server is carried for this system; put a redis-server 7 or newer on the"
                + " PATH");
      }
      Path binary = directory.resolve(resource.substring(resource.lastIndexOf('/') + 1));
      if (Files.isExecutable(binary)) {
        return binary;
      }
      Path partial = directory.resolve(binary.getFileName() + ".partial");
      try (InputStream in = ExecutableProvider.class.getResourceAsStream(resource)) {
        if (in == null) {
          throw new IllegalStateException("the carried Redis server is missing: " + resource);
        }
        Files.copy(in, partial, StandardCopyOption.REPLACE_EXISTING);
        if (!partial.toFile().setExecutable(true)) {
          throw new IOException("cannot be made executable");
        }
        // A name that is there is a whole file, however the unpacking ended.
        return Files.move(partial, binary, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException failure) {
        throw new BlackboardException(
            Reason.SERVER,
            "cannot unpack the Redis server into " + directory + ": " + failure.getMessage(),
            failure);
      }
    }
  }
}
