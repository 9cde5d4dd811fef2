package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** The command line in a JVM of its own, as a person starts it. */
public final class ColonyProcess implements RunningCommand {

  /** How long to wait for what must happen, on a machine that has other work too. */
  public static final Duration LONGEST = Duration.ofMinutes(3);

  private final Process process;
  private final Path out;
  private final Path err;

  /** Said of a Redis that answers late, on a busy machine; who waits for it uses awaitErr. */
  private static final Pattern LATE_REDIS =
      Pattern.compile("colony: Redis at \\S+ (does not answer; waiting for it|is back)\n");

  /** Runs a command at a new terminal, until the command ends; the end of its input hangs up. */
  private static final String TERMINAL =
      """
      import os, pty, select, sys
      child, terminal = pty.fork()
      if child == 0:
          os.execvp(sys.argv[1], sys.argv[1:])
      reading = [terminal, 0]
      try:
          while terminal in reading:
              ready = select.select(reading, [], [])[0]
              if 0 in ready:
                  keys = os.read(0, 4096)
                  if keys:
                      os.write(terminal, keys)
                  else:
                      os.close(terminal)
                      break
              if terminal in ready:
                  os.write(1, os.read(terminal, 65536))
      except OSError:
          pass
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
      """;

  /**
   * What a finished command leaves.
   *
   * @param err without what it said of a Redis that answered late
   */
  public record Finished(int status, String out, String err) {

    public JsonNode json() {
      try {
        return JsonMapper.builder().build().readTree(out);
      } catch (IOException failure) {
        throw new UncheckedIOException("not JSON: " + out + "; standard error: " + err, failure);
      }
    }
  }

  private ColonyProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /**
   * Starts it with a state directory of its own, whose logs stay to be looked at. It leads a
   * process group of its own, as a command that a shell starts at a terminal does.
   */
  public static ColonyProcess start(
      Path state, Map<String, String> environment, String... arguments) {
    return start(state, environment, List.of("setsid"), List.of(), arguments);
  }

  /**
   * Starts it at a terminal of its own. What stands there is its standard output, what is {@link
   * #type}d are its keys, and {@link #hangUp} closes the terminal.
   */
  static ColonyProcess atTerminal(
      Path state, Map<String, String> environment, String... arguments) {
    return start(
        state,
        environment,
        List.of("python3", "-c", TERMINAL),
        Stream.of("", ".output", ".input").map("-Dcolony.terminal%s=true"::formatted).toList(),
        arguments);
  }

  private static ColonyProcess start(
      Path state,
      Map<String, String> environment,
      List<String> under,
      List<String> more,
      String... arguments) {
    try {
      Path out = Files.createTempFile("colony", ".out");
      Path err = Files.createTempFile("colony", ".err");
      List<String> line = new ArrayList<>();
      // what has started the tests may ignore Ctrl-C or hanging up, and processes inherit that
      line.addAll(List.of("env", "--default-signal=INT,HUP"));
      line.addAll(under);
      line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      line.addAll(QuickStart.options());
      line.addAll(more);
      line.add(Main.class.getName());
      line.addAll(List.of(arguments));
      ProcessBuilder builder =
          new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
      builder.environment().put("COLONY_STATE", state.toString());
      // several of them must not contend for the usual port
      builder.environment().put("COLONY_HTTP_PORT", "0");
      builder.environment().put("TERM", "xterm");
      // what listens on this machine must not answer for what a test has started
      builder.environment().put("CI", "true");
      builder.environment().putAll(environment);
      return new ColonyProcess(builder.start(), out, err);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Starts it and waits for its end. */
  public static Finished run(Path state, String... arguments) {
    try (ColonyProcess colony = start(state, Map.of(), arguments)) {
      return colony.await();
    }
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  @Override
  public String err() {
    return read(err);
  }

  @Override
  public String out() {
    return read(out);
  }

  @Override
  public boolean alive() {
    return process.isAlive();
  }

  /** Types a line on its standard input. */
  void type(String line) {
    keys(line + "\n");
  }

  private void keys(String keys) {
    try {
      process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Presses Ctrl-C at the terminal that it was started at. */
  void pressInterrupt() {
    keys("\u0003");
  }

  /** Closes the terminal that it was started at. */
  void hangUp() {
    try {
      process.getOutputStream().close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Waits until standard output holds a text. */
  void awaitOut(String text) {
    Awaitility.await()
        .atMost(LONGEST)
        .untilAsserted(() ->
            assertThat(process.isAlive() && !out().contains(text))
                .as("%s in %s", text, out())
                .isFalse());
    assertThat(out()).contains(text);
  }

  /** Ctrl-C: SIGINT to the command and to all that runs with it at the terminal. */
  public void interrupt() {
    signalGroup("INT");
  }

  private void signalGroup(String signal) {
    try {
      new ProcessBuilder("kill", "-" + signal, "--", "-" + process.pid()).start().waitFor();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /** SIGKILL to the command alone; returns when it is gone. */
  public void kill() {
    process.destroyForcibly();
    await();
  }

  @Override
  public Finished await() {
    try {
      if (!process.waitFor(LONGEST.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("does not end; standard error so far: " + err());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
    return new Finished(process.exitValue(), read(out), withoutLateRedis(read(err)));
  }

  /** What a command said, without what it said of a Redis that answered late. */
  static String withoutLateRedis(String err) {
    return LATE_REDIS.matcher(err).replaceAll("");
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      Files.deleteIfExists(out);
      Files.deleteIfExists(err);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
