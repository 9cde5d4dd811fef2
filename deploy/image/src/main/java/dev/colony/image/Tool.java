package dev.colony.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A program of this machine, run to its end, which is that of this JVM at the latest. */
final class Tool {

  private final Path folder;

  /** Runs programs in the folder. */
  Tool(Path folder) {
    this.folder = folder;
  }

  /**
   * What the program prints, to both of its streams.
   *
   * @return empty where there is no such program
   * @throws ImageFailure if it ends with another status than 0; with the last line that it printed
   */
  Optional<String> run(List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    AtExit<Process> running;
    try {
      running = AtExit.open(builder::start, Tool::end);
    } catch (IOException absent) {
      return Optional.empty();
    }
    try (running) {
      Process process = running.get();
      process.getOutputStream().close();
      String printed =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int status = process.waitFor();
      if (status != 0) {
        throw ImageFailure.fault(
            "%s ended with status %d: %s".formatted(command.getFirst(), status, last(printed)));
      }
      return Optional.of(printed);
    } catch (IOException failure) {
      throw ImageFailure.fault(command.getFirst() + ": " + failure.getMessage(), failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw ImageFailure.fault("interrupted", interrupted);
    }
  }

  /** With all that it has started, and waits until it has ended. */
  static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }

  /** The same where it must be there. */
  String require(List<String> command) {
    return run(command)
        .orElseThrow(
            () -> ImageFailure.badInput("needs " + command.getFirst() + ": install it and retry"));
  }

  private static String last(String printed) {
    return Arrays.stream(printed.split("\n")).reduce("", (first, second) -> second);
  }
}
