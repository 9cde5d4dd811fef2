package dev.colony.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What this process holds, in bytes. */
public final class ProcessMemory {

  private static final int COLLECTIONS = 3;
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String RESIDENT = "VmRSS:";

  private ProcessMemory() {}

  /** Reachable objects, as far as several collections of the garbage can tell. */
  public static long heapBytes() {
    return IntStream.range(0, COLLECTIONS)
        .mapToLong(i -> {
          System.gc();
          return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        })
        .min()
        .orElseThrow();
  }

  /** The whole process in the machine's memory; empty where the kernel does not publish it. */
  public static OptionalLong residentBytes() {
    if (!Files.isReadable(STATUS)) {
      return OptionalLong.empty();
    }
    try (Stream<String> lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith(RESIDENT))
          .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
