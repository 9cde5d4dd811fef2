package dev.colony.bench.answers;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.ChildNode;
import dev.colony.cli.terminal.Progress;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How long a person waits for answers: a cluster is brought up, and questions are asked of it one
 * after the other, each by a command in a JVM of its own, which shows its answer as on a terminal.
 */
public final class LatencyBenchmark {

  private static final String MAIN = "dev.colony.cli.Main";

  /** What the launcher has a command run with that only asks nodes. */
  private static final List<String> BRIEF = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private static final int LAST_CHARS = 300;
  private static final int BUFFER = 8_192;
  private static final long LONGEST_MINUTES = 15;

  private static final Pattern RUNNING = Pattern.compile("starting|mapping|asking|\\d files");
  private static final Pattern MAPPED = Pattern.compile("mapping\\s+(\\d+ files[^\\r\\n]*)");

  /** What the bar of the stage says from the first answer of an analyst on. */
  private static final Pattern ANALYST = Pattern.compile("asking\\D");

  private final Path directory;
  private final Optional<Path> configFile;
  private final Progress progress;

  /**
   * @param directory for the cluster's state, not used before; left for the caller to delete
   */
  public LatencyBenchmark(Path directory, Optional<Path> configFile, Progress progress) {
    this.directory = directory;
    this.configFile = configFile;
    this.progress = progress;
  }

  /**
   * Has the trees of corpora in one directory. Blocks; may fetch.
   *
   * @param cache where they are unpacked
   * @throws CommandFailure if one is not to be had
   */
  public Path join(List<String> corpora, Path cache) throws IOException {
    Trees trees = new Trees(cache);
    Path all = Files.createDirectories(directory.resolve("tree"));
    for (String corpus : corpora) {
      progress.at("copying", 0, 0);
      Path from = trees.of(corpus);
      try (Stream<Path> files = Files.walk(from)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Path to = all.resolve(from.getFileName()).resolve(from.relativize(file).toString());
          Files.createDirectories(to.getParent());
          Files.copy(file, to);
        }
      }
    }
    return all;
  }

  /**
   * Blocks until all questions are answered.
   *
   * @throws CommandFailure if the cluster does not come up, with the last that it said
   */
  public LatencyReport run(Path tree, List<String> questions, int nodes) throws IOException {
    progress.at("starting", 0, 0);
    Ended up = wait(start(List.of("up", "--nodes", Integer.toString(nodes))));
    if (up.status() != 0) {
      throw new CommandFailure(
          ExitCode.NODE_FAILED, "the cluster does not come up: " + last(up.err().text()));
    }
    try {
      List<LatencyReport.Asked> asked = new ArrayList<>();
      for (String question : questions) {
        progress.at("asking", asked.size(), questions.size());
        asked.add(ask(tree, question));
      }
      return new LatencyReport(nodes, asked);
    } finally {
      wait(start(List.of("down")));
    }
  }

  private LatencyReport.Asked ask(Path tree, String question) throws IOException {
    Ended ended = wait(start(List.of("run", tree.toString(), "--ask", question)));
    Matcher mapped = MAPPED.matcher(ended.err().text());
    boolean told = mapped.find();
    return new LatencyReport.Asked(
        question,
        ended.err().millisOf(RUNNING),
        ended.err().millisOf(MAPPED),
        told ? mapped.group(1).strip() : "nothing was mapped",
        ended.err().millisOf(ANALYST),
        ended.out().first(),
        ended.out().last(),
        ended.millis(),
        ended.status());
  }

  private record Running(Process process, Heard out, Heard err, long begun) {}

  private record Ended(int status, Heard out, Heard err, long millis) {}

  private Running start(List<String> command) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(ChildNode.jvmOptions());
    if (command.getFirst().equals("run")) {
      line.addAll(BRIEF);
    }
    line.addAll(List.of("-Dcolony.terminal=true", "-Dcolony.terminal.output=true"));
    line.addAll(List.of("-cp", classPath(), MAIN));
    line.addAll(command);
    line.addAll(List.of("--state", directory.toString()));
    configFile
        .filter(file -> !command.getFirst().equals("down"))
        .ifPresent(file -> line.addAll(List.of("--config", file.toString())));
    long begun = System.nanoTime();
    Process process = new ProcessBuilder(line).start();
    process.getOutputStream().close();
    return new Running(
        process,
        Heard.of(process.getInputStream(), begun),
        Heard.of(process.getErrorStream(), begun),
        begun);
  }

  private static Ended wait(Running running) {
    try {
      if (!running.process().waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)) {
        running.process().destroyForcibly();
        throw new CommandFailure(
            ExitCode.UNSUCCESSFUL,
            "a command has not ended in %d minutes".formatted(LONGEST_MINUTES));
      }
      long millis = (System.nanoTime() - running.begun()) / 1_000_000;
      running.out().join();
      running.err().join();
      return new Ended(running.process().exitValue(), running.out(), running.err(), millis);
    } catch (InterruptedException interrupted) {
      running.process().destroy();
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }

  /** That of this process without the benchmarks, which no other command looks through. */
  private static String classPath() {
    String own =
        LatencyBenchmark.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    return String.join(
        File.pathSeparator,
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !Path.of(entry).toAbsolutePath().equals(Path.of(own)))
            .toList());
  }

  private static String last(String said) {
    String text = said.replaceAll("\\p{Cntrl}+", " ").strip();
    return text.substring(Math.max(0, text.length() - LAST_CHARS));
  }

  /** What a process has written to one stream, and when each of its characters came. */
  static final class Heard {

    private record Piece(int end, long millis) {}

    private final StringBuilder text = new StringBuilder();
    private final List<Piece> pieces = new ArrayList<>();
    private Thread reader;

    static Heard of(InputStream in, long begun) {
      Heard heard = new Heard();
      heard.reader = Thread.ofVirtual().start(() -> heard.read(in, begun));
      return heard;
    }

    private void read(InputStream in, long begun) {
      byte[] buffer = new byte[BUFFER];
      try (in) {
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          take(
              new String(buffer, 0, n, StandardCharsets.UTF_8),
              (System.nanoTime() - begun) / 1_000_000);
        }
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    synchronized void take(String more, long millis) {
      text.append(more);
      pieces.add(new Piece(text.length(), millis));
    }

    private void join() throws InterruptedException {
      reader.join();
    }

    synchronized String text() {
      return text.toString();
    }

    /** When the first that matches was there whole; -1 if nothing does. */
    synchronized long millisOf(Pattern pattern) {
      Matcher found = pattern.matcher(text);
      return found.find() ? at(found.end()) : -1;
    }

    /** When the first came that is no blank; -1 if nothing did. */
    synchronized long first() {
      return millisOf(Pattern.compile("\\S"));
    }

    /** When the last came; -1 if nothing did. */
    synchronized long last() {
      return pieces.isEmpty() ? -1 : pieces.getLast().millis();
    }

    private long at(int end) {
      return pieces.stream().filter(piece -> piece.end() >= end).findFirst().orElseThrow().millis();
    }
  }
}
