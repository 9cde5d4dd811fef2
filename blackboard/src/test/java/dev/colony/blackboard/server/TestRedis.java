package dev.colony.blackboard.server;

import dev.colony.blackboard.server.ProcessState.Pause;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real Redis server for tests, the carried one, in a directory of its own that goes with it.
 * Tests that only need some Redis take {@link #shared} and scopes or keys of their own; tests that
 * hurt it {@link #start} their own.
 */
public final class TestRedis implements AutoCloseable {

  private static TestRedis shared;

  private final Path directory;
  private final ServerSettings settings;
  private volatile RedisServerProcess server;

  private TestRedis(Fsync fsync) throws IOException {
    this.directory = Files.createTempDirectory("colony-redis-");
    this.settings =
        ServerSettings.in(directory).withFsync(fsync).withCarried(true).withoutPassword();
    Runtime.getRuntime().addShutdownHook(new Thread(this::destroy));
    this.server = RedisServerProcess.ensure(settings);
  }

  /** A server that keeps what it acknowledged when it is killed ({@code appendfsync always}). */
  public static TestRedis start() {
    return start(Fsync.ALWAYS);
  }

  public static TestRedis start(Fsync fsync) {
    try {
      return new TestRedis(fsync);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** One server for all tests of this JVM, which ends with it. */
  public static synchronized TestRedis shared() {
    if (shared == null) {
      shared = start(Fsync.EVERYSEC);
    }
    return shared;
  }

  public String uri() {
    return server.uri();
  }

  public int port() {
    return server.port();
  }

  public RedisServerProcess server() {
    return server;
  }

  public ServerSettings settings() {
    return settings;
  }

  /** SIGKILL; returns when the process is gone. */
  public void kill() {
    signal("KILL");
    while (ProcessState.running(server.pid())) {
      Pause.millis(2);
    }
  }

  /** Brings it back after {@link #kill} or {@link #stop}, on the same port. */
  public void ensure() {
    server = RedisServerProcess.ensure(settings);
  }

  public void stop() {
    server.stop();
  }

  /** SIGSTOP: it keeps its connections and answers nothing. */
  public void pause() {
    signal("STOP");
  }

  /** SIGCONT after {@link #pause}. */
  public void resume() {
    signal("CONT");
  }

  @Override
  public void close() {
    destroy();
  }

  private void signal(String name) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(server.pid())).start();
      if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new IllegalStateException("kill -" + name + " " + server.pid() + " failed");
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  private synchronized void destroy() {
    RedisServerProcess last = server;
    if (last != null && ProcessState.running(last.pid())) {
      ProcessHandle.of(last.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
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
