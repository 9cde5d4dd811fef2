package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Clients in Python, from the folder {@code clients} where COLONY_SERVERS points, else {@code
 * ~/.cache/colony-servers}.
 */
final class PythonClient {

  private PythonClient() {}

  /**
   * The interpreter, which has a package; the test is skipped where that is not installed.
   *
   * @param packaged that is imported
   */
  static Path installed(String packaged) throws IOException, InterruptedException {
    Path python =
        Optional.ofNullable(System.getenv("COLONY_SERVERS"))
            .map(Path::of)
            .orElse(Path.of(System.getProperty("user.home"), ".cache", "colony-servers"))
            .resolve("clients/bin/python");
    assumeTrue(Files.isExecutable(python), python + " is not installed: see CONTRIBUTING.md");
    Process look =
        new ProcessBuilder(python.toString(), "-c", "import " + packaged)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assumeTrue(look.waitFor() == 0, "%s has no package %s".formatted(python, packaged));
    return python;
  }

  /** The lines that a script prints. */
  static String[] said(Path python, String script, Map<String, String> environment)
      throws IOException, InterruptedException {
    return said(List.of(python.toString(), "-c", script), Path.of(""), environment);
  }

  /** The lines that a command prints, which ends with 0. */
  static String[] said(List<String> command, Path folder, Map<String, String> environment)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toAbsolutePath().toFile())
            .redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      String all = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(all).isTrue();
      assertThat(process.exitValue()).as(all).isZero();
      return all.lines().toArray(String[]::new);
    } finally {
      process.destroyForcibly();
    }
  }
}
