package dev.colony.cli.local;

import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.server.ProcessState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What {@code colony up} started and {@code colony down} stops.
 *
 * @param ownRedis whether the Redis server is ours to stop
 * @param modelUrl the model server, empty for the embedded replicas
 * @param model which model answers, for people; empty where that is not recorded
 * @param unpriced the settings by which its tokens would cost something; empty where they do
 */
public record UpRecord(
    String redisUri,
    boolean ownRedis,
    List<String> nodes,
    String modelUrl,
    Optional<String> model,
    Optional<String> unpriced) {

  /** The URL of Redis may hold a password. */
  private static final FileAttribute<?> OWNERS =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  public UpRecord {
    nodes = List.copyOf(nodes);
    model = model == null ? Optional.empty() : model;
    unpriced = unpriced == null ? Optional.empty() : unpriced;
  }

  /**
   * The record of a directory, empty if nothing is up: no node of it lives, and no supervisor that
   * would start one again.
   */
  public static Optional<UpRecord> find(StateDirectory state) {
    return read(state)
        .filter(record ->
            !record.living(state).isEmpty() || SupervisorRecord.living(state).isPresent());
  }

  /** The record of a directory, whether anything of it lives or not. */
  public static Optional<UpRecord> read(StateDirectory state) {
    return RecordFile.read(state.upRecord(), UpRecord.class);
  }

  UpRecord write(StateDirectory state) {
    RecordFile.write(state.upRecord(), this, OWNERS);
    return this;
  }

  static void delete(StateDirectory state) {
    RecordFile.delete(state.upRecord());
  }

  /** The nodes that live, as they described themselves. */
  public List<NodeRecord> living(StateDirectory state) {
    return nodes.stream()
        .flatMap(name -> NodeRecord.read(state.nodeRecord(name)).stream())
        .filter(node -> node.process().isPresent())
        .toList();
  }

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
      return read(state)
          .flatMap(record -> NodeRecord.process(record.pid(), record.startedMillis()));
    }

    /** Writes it so that a reader sees all of it or nothing. */
    void write(StateDirectory state) {
      RecordFile.write(state.supervisorRecord(), this);
    }

    static void delete(StateDirectory state) {
      RecordFile.delete(state.supervisorRecord());
    }
  }

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

  /** A record as JSON in a file of the state directory: a reader sees all of it or nothing. */
  static final class RecordFile {

    private RecordFile() {}

    /**
     * The record in a file, empty if there is none.
     *
     * @throws UncheckedIOException naming the file, if it cannot be read
     */
    static <T> Optional<T> read(Path file, Class<T> type) {
      try {
        return Optional.of(
            type.cast(JsonValues.read(JsonValues.parse(Files.readString(file)), type)));
      } catch (NoSuchFileException absent) {
        return Optional.empty();
      } catch (IOException failure) {
        throw new UncheckedIOException("cannot read " + file, failure);
      } catch (IllegalArgumentException other) {
        throw new UncheckedIOException("cannot read " + file, new IOException(other));
      }
    }

    /**
     * Puts a record in place of what the file holds.
     *
     * @param attributes of the file
     * @throws UncheckedIOException naming the file, if it cannot be written
     */
    static void write(Path file, Object record, FileAttribute<?>... attributes) {
      try {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(unfinished);
        Files.createFile(unfinished, attributes);
        Files.writeString(unfinished, JsonValues.toJson(record).toString());
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException failure) {
        throw new UncheckedIOException("cannot write " + file, failure);
      }
    }

    static void delete(Path file) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException failure) {
        throw new UncheckedIOException("cannot delete " + file, failure);
      }
    }
  }
}
