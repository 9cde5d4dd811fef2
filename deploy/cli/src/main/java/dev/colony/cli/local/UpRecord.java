package dev.colony.cli.local;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/**
 * What {@code colony up} started and {@code colony down} stops.
 *
 * @param ownRedis whether the Redis server is ours to stop
 * @param modelUrl the model server, empty for the embedded replicas
 */
public record UpRecord(String redisUri, boolean ownRedis, List<String> nodes, String modelUrl) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The URL of Redis may hold a password. */
  private static final FileAttribute<?> OWNERS =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  public UpRecord {
    nodes = List.copyOf(nodes);
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
    if (!Files.exists(state.upRecord())) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readValue(Files.readString(state.upRecord()), UpRecord.class));
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot read " + state.upRecord(), failure);
    }
  }

  /** Gives the record back. */
  UpRecord write(StateDirectory state) {
    try {
      Path unfinished = state.upRecord().resolveSibling("up.json.new");
      Files.deleteIfExists(unfinished);
      Files.createFile(unfinished, OWNERS);
      Files.writeString(unfinished, JSON.writeValueAsString(this));
      Files.move(unfinished, state.upRecord(), StandardCopyOption.ATOMIC_MOVE);
      return this;
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot write " + state.upRecord(), failure);
    }
  }

  static void delete(StateDirectory state) {
    try {
      Files.deleteIfExists(state.upRecord());
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot delete " + state.upRecord(), failure);
    }
  }

  /** The nodes that live, as they described themselves. */
  public List<NodeRecord> living(StateDirectory state) {
    return nodes.stream()
        .flatMap(name -> NodeRecord.read(state.nodeRecord(name)).stream())
        .filter(node -> node.process().isPresent())
        .toList();
  }
}
