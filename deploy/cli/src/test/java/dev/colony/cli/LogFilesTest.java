package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;

/** The log files of nodes, supervisor and commands stay small, whatever is logged. */
class LogFilesTest {

  /** Four files of 10 MB, each longer by a line at most. */
  private static final long ALL = 4 * 10_600_000;

  private static final int LINES = 10_000;

  @TempDir private Path folder;

  private final LoggerContext context = new LoggerContext();

  @AfterEach
  void stop() {
    context.stop();
  }

  private Logger logger(String name, String format) throws Exception {
    context.setMDCAdapter(MDC.getMDCAdapter());
    context.putProperty("colony.log.file", folder.resolve("node-1.log").toString());
    context.putProperty("COLONY_LOG_FORMAT", format);
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(LogFilesTest.class.getClassLoader().getResource("logback-file.xml"));
    return context.getLogger(name);
  }

  @Test
  void whatRepeatsIsLeftOutAndSaidToBe() throws Exception {
    Logger logger = logger("org.apache.pekko.io.TcpListener", "text");
    IOException full = new IOException("Too many open files");
    for (int i = 0; i < 100_000; i++) {
      logger.error("Accept error: could not accept new connection", full);
    }
    String log = Files.readString(folder.resolve("node-1.log"));
    assertThat(log.length()).isLessThan(100_000);
    assertThat(log).containsOnlyOnce("are left out").contains("Too many open files");
  }

  @Test
  void whatDoesNotRepeatIsBoundedInAll() throws Exception {
    for (String format : List.of("text", "json")) {
      Logger logger = logger("dev.colony.node", format);
      String much = "x".repeat(10_000);
      for (int i = 0; i < LINES; i++) {
        logger.info("{} {}", i, much);
        logger.warn("{} {}", i, much);
      }
      logger.warn("all is written");
      try (Stream<Path> files = Files.list(folder)) {
        List<Path> all = files.toList();
        assertThat(all).hasSizeBetween(2, 4);
        long bytes = 0;
        for (Path file : all) {
          bytes += Files.size(file);
        }
        assertThat(bytes).isLessThan(ALL);
      }
      context.reset();
    }
  }
}
