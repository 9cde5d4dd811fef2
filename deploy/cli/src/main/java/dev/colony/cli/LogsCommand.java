package dev.colony.cli;

import dev.colony.cli.CommandOptions.StateOption;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the logs of the nodes that {@code up} has started, also of those that have ended. */
@Command(
    name = "logs",
    description = "Prints the last lines of the nodes' logs, and with --follow those that come.")
final class LogsCommand implements Callable<Integer> {

  private static final int MOST_LINES = 100_000;
  private static final long LOOK_EVERY_MILLIS = 200;

  @Parameters(
      arity = "0..1",
      paramLabel = "NODE",
      description = "Whose log, as status names it (default: all, each line behind its node).")
  private String node;

  @Option(
      names = "--lines",
      paramLabel = "N",
      defaultValue = "50",
      description = "Of each log, 0 to 100000 (default: ${DEFAULT-VALUE}).")
  private int lines;

  @Option(names = "--follow", description = "Goes on with what is logged, until Ctrl-C.")
  private boolean follow;

  @Mixin private StateOption stateOption;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (lines < 0 || lines > MOST_LINES) {
      throw CommandFailure.badInput(
          "--lines is %d, but must be 0 to %d".formatted(lines, MOST_LINES));
    }
    StateDirectory state = stateOption.open();
    List<NodeLog> logs = new ArrayList<>();
    for (String name : Optional.ofNullable(node).map(List::of).orElse(state.loggedNodes())) {
      if (!state.loggedNodes().contains(name)) {
        throw CommandFailure.badInput(
            "no node %s has logged in %s; there are: %s"
                .formatted(name, state.root(), String.join(", ", state.loggedNodes())));
      }
      logs.add(new NodeLog(state.log(name), node == null ? name + " | " : ""));
    }
    if (logs.isEmpty()) {
      throw CommandFailure.badInput("no node has logged in %s".formatted(state.root()));
    }
    for (NodeLog log : logs) {
      log.last(lines, System.out);
    }
    while (follow) {
      TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MILLIS);
      for (NodeLog log : logs) {
        log.more(System.out);
      }
    }
    return ExitCode.OK.status();
  }

  /** One log, and how far it was read: whole lines only. */
  private static final class NodeLog {

    private final Path file;
    private final String before;
    private long read;

    NodeLog(Path file, String before) {
      this.file = file;
      this.before = before;
    }

    void last(int count, PrintStream out) throws IOException {
      List<String> all = unread();
      print(all.subList(Math.max(0, all.size() - count), all.size()), out);
    }

    void more(PrintStream out) throws IOException {
      print(unread(), out);
    }

    private void print(List<String> some, PrintStream out) {
      some.forEach(line -> out.println(before + line));
      out.flush();
    }

    /** One that is shorter than before was begun anew. */
    private List<String> unread() throws IOException {
      if (!Files.exists(file)) {
        return List.of();
      }
      try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
        read = open.length() < read ? 0 : read;
        open.seek(read);
        byte[] rest = new byte[Math.toIntExact(open.length() - read)];
        open.readFully(rest);
        int end = rest.length;
        while (end > 0 && rest[end - 1] != '\n') {
          end--;
        }
        read += end;
        return new String(rest, 0, end, StandardCharsets.UTF_8).lines().toList();
      }
    }
  }
}
