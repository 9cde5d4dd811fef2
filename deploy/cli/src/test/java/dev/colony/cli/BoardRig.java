package dev.colony.cli;

import dev.colony.blackboard.Scope;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.cli.ColonyProcess.Finished;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A state directory whose Redis server runs, as a cluster leaves it that was killed, and the board
 * commands on it. Closing it ends whatever was left running.
 */
final class BoardRig implements AutoCloseable {

  private final Path state;
  private final ServerSettings settings;
  private final List<RunningCommand> started = new ArrayList<>();

  BoardRig() {
    try {
      state = Files.createTempDirectory("colony-board");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    settings = ServerSettings.in(state.resolve("redis"));
    RedisServerProcess.ensure(settings);
  }

  /** A scope that no other test uses. */
  static Scope scope() {
    return Scope.colony("acme", "c-" + UUID.randomUUID());
  }

  Path state() {
    return state;
  }

  RedisServerProcess redis() {
    return RedisServerProcess.find(settings).orElseThrow();
  }

  /** Starts the server again that was killed. */
  void restartRedis() {
    RedisServerProcess.ensure(settings);
  }

  /** {@code colony board}, in this JVM. */
  Finished board(String... arguments) {
    return CommandLineRun.of(line(arguments));
  }

  Finished boardWithInput(String input, String... arguments) {
    return CommandLineRun.withInput(input.getBytes(StandardCharsets.UTF_8), line(arguments));
  }

  private String[] line(String... arguments) {
    List<String> line = new ArrayList<>(List.of("board"));
    line.addAll(List.of(arguments));
    // Before the words of a command, because what comes after "--" is no option.
    line.addAll(2, List.of("--state", state.toString()));
    return line.toArray(String[]::new);
  }

  /** {@code colony board watch}, in this JVM, once it watches. */
  RunningCommand watch(String... arguments) {
    return watching(CommandLineRun.start(line(watchOf(arguments))));
  }

  /** The same in a process of its own. */
  ColonyProcess watchApart(String... arguments) {
    String[] line = Rig.with(List.of("board"), List.of(watchOf(arguments)));
    return watching(ColonyProcess.start(state, Map.of(), line));
  }

  private static String[] watchOf(String... arguments) {
    return Rig.with(List.of("watch"), List.of(arguments));
  }

  private <C extends RunningCommand> C watching(C watch) {
    started.add(watch);
    watch.awaitErr("watching");
    return watch;
  }

  @Override
  public void close() {
    started.forEach(RunningCommand::close);
    RedisServerProcess.find(settings).ifPresent(RedisServerProcess::stop);
    try {
      StateFolder.deleteTree(state);
    } catch (IOException leftBehind) {
      System.err.println("left behind: " + state + ": " + leftBehind);
    }
  }
}
