package dev.colony.blackboard.server;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** What the operating system knows of a process that may not be our child. */
public final class ProcessState {

  private static final Duration CLOCK_SLACK = Duration.ofSeconds(2);

  private ProcessState() {}

  /**
   * Whether it runs. A process that has ended and that is not reaped does not: in a container whose
   * first process reaps nothing, it would otherwise seem alive for ever.
   */
  public static boolean running(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false) && !zombie(pid);
  }

  /**
   * Whether it runs and can be the server that wrote its pid at that time: a process that began
   * later has merely inherited the number, unless it is a server too, when the clock was set.
   */
  static boolean runningServerSince(long pid, Instant time) {
    return running(pid)
        && ProcessHandle.of(pid)
            .map(ProcessHandle::info)
            .map(info ->
                info.command().filter(ProcessState::isServer).isPresent()
                    || info.startInstant()
                        .map(start -> !start.isAfter(time.plus(CLOCK_SLACK)))
                        .orElse(true))
            .orElse(false);
  }

  private static boolean isServer(String command) {
    String name = Path.of(command).getFileName().toString();
    return name.startsWith("redis-server") || name.startsWith("valkey-server");
  }

  private static boolean zombie(long pid) {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    try {
      String line = Files.readString(stat);
      // The command's name stands in parentheses and may hold any character; the state follows it.
      int state = line.lastIndexOf(')') + 2;
      return line.length() > state && (line.charAt(state) == 'Z' || line.charAt(state) == 'X');
    } catch (IOException noSuchFile) {
      return false;
    }
  }

  /** Waiting for another process, which nothing but looking again can tell us about. */
  static final class Pause {

    private Pause() {}

    static void millis(long millis) {
      try {
        Thread.sleep(millis);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new BlackboardException(
            Reason.INTERRUPTED, "interrupted while waiting for Redis", interrupted);
      }
    }
  }
}
