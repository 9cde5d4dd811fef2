package dev.colony.blackboard.server;

import dev.colony.blackboard.server.ProcessState.Pause;
import dev.colony.blackboard.server.ServerStart.RedisBinary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process of the carried server binary, or of a newer one, on loopback, set up as a test wants
 * it: a member of a cluster, a replica, a sentinel, with TLS. It ends with the JVM. Tests that just
 * need a server take {@link TestRedis}.
 */
public final class TestServer implements AutoCloseable {

  /** So that a cluster's second port, 10,000 above, is below those of outgoing connections. */
  private static final int FIRST_PORT = 12_000;

  private static final int LAST_PORT = 19_999;
  private static final int CLUSTER_PORT_OFFSET = 10_000;
  private static final long START_MILLIS = 20_000;
  private static final Pattern READY =
      Pattern.compile("Ready to accept connections|Sentinel ID is", Pattern.MULTILINE);

  private static Path carried;

  private final Path directory;
  private final int port;
  private final List<String> command;
  private Process process;

  private TestServer(Path directory, int port, List<String> command) {
    this.directory = directory;
    this.port = port;
    this.command = command;
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    restart();
  }

  /**
   * Starts one.
   *
   * @param settings lines of redis.conf beside port, directory and binding
   */
  public static TestServer start(String... settings) {
    return launch(carried(), List.of(), settings);
  }

  /** Starts a sentinel. */
  public static TestServer sentinel(String... settings) {
    return launch(carried(), List.of("--sentinel"), settings);
  }

  /** Starts the server on the PATH; empty where there is none of a newer series. */
  public static Optional<TestServer> newer(String... settings) {
    RedisBinary binary = RedisBinary.choose(ServerSettings.in(carried().getParent()));
    return binary.path().equals(carried())
        ? Optional.empty()
        : Optional.of(launch(binary.path(), List.of(), settings));
  }

  private static TestServer launch(Path binary, List<String> mode, String... settings) {
    try {
      Path directory = Files.createTempDirectory("colony-server-");
      int port = freePort();
      Path config = directory.resolve("server.conf");
      Files.writeString(
          config,
          """
          port %d
          bind 127.0.0.1
          dir %s
          logfile log
          databases 1
          save ""
          appendonly yes
          """
                  .formatted(port, directory)
              + String.join("\n", settings).replace("{port}", Integer.toString(port))
              + "\n");
      List<String> command = new ArrayList<>(List.of(binary.toString(), config.toString()));
      command.addAll(mode);
      return new TestServer(directory, port, command);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The carried binary, unpacked once. */
  private static synchronized Path carried() {
    if (carried == null) {
      try {
        Path directory = Files.createTempDirectory("colony-binary-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
        carried = RedisBinary.choose(ServerSettings.in(directory).withCarried(true)).path();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
    return carried;
  }

  private static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT + 1);
      if (ServerProbe.free(port) && ServerProbe.free(port + CLUSTER_PORT_OFFSET)) {
        return port;
      }
    }
  }

  public int port() {
    return port;
  }

  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  public RedisShell shell() {
    return new RedisShell(port);
  }

  /** SIGKILL; returns when the process is gone. */
  public void kill() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /** Starts it again after {@link #kill}, with the data and the port it had. */
  public void restart() {
    try {
      Files.deleteIfExists(directory.resolve("log"));
      process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("out").toFile())
              .start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    awaitReady();
  }

  private void awaitReady() {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MILLIS);
    while (!READY.matcher(log()).find()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new IllegalStateException("the test server does not start: " + log());
      }
      Pause.millis(5);
    }
  }

  private String log() {
    StringBuilder text = new StringBuilder();
    for (String file : List.of("out", "log")) {
      try {
        text.append(Files.readString(directory.resolve(file), StandardCharsets.ISO_8859_1));
      } catch (IOException noneYet) {
        text.append("");
      }
    }
    return text.toString();
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
    }
    delete(directory);
  }

  private static void delete(Path directory) {
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      } catch (IOException leftBehind) {
        System.err.println("left behind: " + directory + ": " + leftBehind);
      }
    }
  }
}
