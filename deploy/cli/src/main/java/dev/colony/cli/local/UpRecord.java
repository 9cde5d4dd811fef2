package dev.colony.cli.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

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

  /** Gives the record back. */
  UpRecord write(StateDirectory state) {
    RecordFile.write(state.upRecord(), this, OWNERS);
    return this;
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
