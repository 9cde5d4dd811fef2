package dev.colony.cli.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

/**
 * What the supervisor of a state directory says of itself.
 *
 * @param startedMillis when its process started, epoch milliseconds; with the pid it names the
 *     process
 * @param givenUp the nodes that it does not start again, because they have died too often
 */
public record SupervisorRecord(long pid, long startedMillis, List<String> givenUp) {

  public SupervisorRecord {
    givenUp = List.copyOf(givenUp);
  }

  /** Of this process. */
  static SupervisorRecord own(List<String> givenUp) {
    ProcessHandle self = ProcessHandle.current();
    return new SupervisorRecord(self.pid(), NodeRecord.startMillis(self), givenUp);
  }

  /** The record of a directory, whose process may have ended; empty if there was none. */
  public static Optional<SupervisorRecord> read(StateDirectory state) {
    return RecordFile.read(state.supervisorRecord(), SupervisorRecord.class);
  }

  /** The process that watches over the nodes of a directory, if there is one. */
  public static Optional<ProcessHandle> living(StateDirectory state) {
    return read(state).flatMap(record -> NodeRecord.process(record.pid(), record.startedMillis()));
  }

  /** Writes it so that a reader sees all of it or nothing. */
  void write(StateDirectory state) {
    RecordFile.write(state.supervisorRecord(), this);
  }

  static void delete(StateDirectory state) {
    try {
      Files.deleteIfExists(state.supervisorRecord());
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot delete " + state.supervisorRecord(), failure);
    }
  }
}
