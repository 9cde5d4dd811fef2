package dev.colony.cli.local;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

  private static final JsonMapper JSON = JsonMapper.builder().build();

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
    try {
      return Optional.of(
          JSON.readValue(Files.readString(state.supervisorRecord()), SupervisorRecord.class));
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot read " + state.supervisorRecord(), failure);
    }
  }

  /** The process that watches over the nodes of a directory, if there is one. */
  public static Optional<ProcessHandle> living(StateDirectory state) {
    return read(state).flatMap(record -> NodeRecord.process(record.pid(), record.startedMillis()));
  }

  /** Writes it so that a reader sees all of it or nothing. */
  void write(StateDirectory state) {
    try {
      Path unfinished = state.supervisorRecord().resolveSibling("supervisor.json.new");
      Files.writeString(unfinished, JSON.writeValueAsString(this));
      Files.move(unfinished, state.supervisorRecord(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot write " + state.supervisorRecord(), failure);
    }
  }

  static void delete(StateDirectory state) {
    try {
      Files.deleteIfExists(state.supervisorRecord());
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot delete " + state.supervisorRecord(), failure);
    }
  }
}
