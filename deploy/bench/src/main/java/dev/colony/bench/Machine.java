package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a bench runs on, as far as figures depend on it. */
final class Machine {

  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
  private static final String MODEL = "model name";

  private Machine() {}

  /** Its processors, kernel and JDK. */
  static ObjectNode described() {
    return Report.object()
        .put("processors", Runtime.getRuntime().availableProcessors())
        .put("processor", model())
        .put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"))
        .put(
            "jdk", System.getProperty("java.vm.version") + " " + System.getProperty("java.vendor"));
  }

  /** Of the last minute; negative where the system does not tell. */
  static double loadAverage() {
    return Report.rounded(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  /** As the kernel names it, or else the architecture. */
  private static String model() {
    try (Stream<String> lines = Files.lines(PROCESSORS)) {
      return lines
          .filter(line -> line.startsWith(MODEL))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException untold) {
      return System.getProperty("os.arch");
    }
  }
}
