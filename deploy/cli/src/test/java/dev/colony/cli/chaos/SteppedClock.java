package dev.colony.cli.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Wall clocks of processes on this machine that a test sets while they run. A process and its
 * children take part that were started with {@link #environment}.
 */
final class SteppedClock {

  private static final String SOURCE = "stepped_clock.c";
  private static final String DIRECTORY = "STEPPED_CLOCKS";

  private final Path directory;

  private SteppedClock(Path directory) {
    this.directory = directory;
  }

  /** Of the processes that have this one's environment. */
  static SteppedClock inherited() {
    return new SteppedClock(Path.of(System.getenv(DIRECTORY)));
  }

  /** Whether there is a C compiler, by which the shim is made. */
  static boolean possible() {
    try {
      return new ProcessBuilder("cc", "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException none) {
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Makes the shim; what a process is to be started with whose clock is to be stepped. */
  static Map<String, String> environment(Path folder) throws IOException, InterruptedException {
    Path source = folder.resolve(SOURCE);
    Path shim = folder.resolve("stepped_clock.so");
    try (InputStream text = SteppedClock.class.getResourceAsStream(SOURCE)) {
      Files.copy(text, source);
    }
    Process compiler =
        new ProcessBuilder(
                "cc", "-O2", "-shared", "-fPIC", "-o", shim.toString(), source.toString())
            .inheritIO()
            .start();
    if (!compiler.waitFor(1, TimeUnit.MINUTES) || compiler.exitValue() != 0) {
      throw new IllegalStateException("cc does not compile " + source);
    }
    Path clocks = Files.createDirectories(folder.resolve("clocks"));
    return Map.of("LD_PRELOAD", shim.toString(), DIRECTORY, clocks.toString());
  }

  /** Sets a process' clock; how far it is from the machine's then. */
  void set(long pid, Duration ahead) {
    ByteBuffer nanos = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    nanos.putLong(ahead.toNanos()).flip();
    // The shim has made the file: a process that has none does not take part.
    try (FileChannel file =
        FileChannel.open(directory.resolve(Long.toString(pid)), StandardOpenOption.WRITE)) {
      file.write(nanos, 0);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
