package dev.colony.cli.local;

import dev.colony.blackboard.server.ProcessState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a node says of itself once it is ready: who it is and where it listens.
 *
 * @param startedMillis when its process started, epoch milliseconds; with the pid it names the
 *     process, also after the pid is given to another
 * @param address of remoting, {@code host:port}
 * @param replica the base URL of its model server
 * @param management where its management listens, {@code host:port}
 * @param api the URL of its HTTP API; empty where it serves none
 */
public record NodeRecord(
    String name,
    long pid,
    long startedMillis,
    String address,
    String replica,
    String management,
    String api) {

  /** Writes it so that a reader sees all of it or nothing. */
  public void write(Path file) {
    RecordFile.write(file, this);
  }

  /** The record in a file, empty if there is none. */
  public static Optional<NodeRecord> read(Path file) {
    return RecordFile.read(file, NodeRecord.class);
  }

  /** The records of a state directory, those of nodes that have ended among them. */
  static List<NodeRecord> all(StateDirectory state) {
    try (Stream<Path> files = Files.list(state.nodeRecords())) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .sorted()
          .flatMap(file -> read(file).stream())
          .toList();
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot list " + state.nodeRecords(), failure);
    }
  }

  /** The process it speaks of, empty if that has ended. */
  public Optional<ProcessHandle> process() {
    return process(pid, startedMillis);
  }

  /** The process with this pid that was started then, empty if that has ended. */
  public static Optional<ProcessHandle> process(long pid, long startedMillis) {
    return ProcessHandle.of(pid)
        .filter(process -> ProcessState.running(pid))
        .filter(process -> startedMillis == startMillis(process));
  }

  public static long startMillis(ProcessHandle process) {
    return process.info().startInstant().map(java.time.Instant::toEpochMilli).orElse(0L);
  }
}
