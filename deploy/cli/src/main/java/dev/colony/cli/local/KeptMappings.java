package dev.colony.cli.local;

import dev.colony.vcm.grouping.MappingMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known of the sources that were mapped last from this machine, in files of the state
 * directory, without any text: a source is mapped again by what has changed since. What cannot be
 * read or written is passed over, with a line in the log: then a source is read as a whole.
 */
public final class KeptMappings {

  private static final Logger LOG = LoggerFactory.getLogger(KeptMappings.class);

  private static final String ENDING = ".json";

  /** Only the operator who maps a source may read the names of its files. */
  private static final FileAttribute<?> OWNERS =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final FileAttribute<?> OWNERS_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path directory;
  private final int most;

  /**
   * @param most how many sources are kept, those that were mapped last; 0 for none
   */
  public KeptMappings(StateDirectory state, int most) {
    directory = state.root().resolve("mappings");
    this.most = most;
  }

  /** What is known of a source; empty where nothing is, or it cannot be read. */
  public Optional<MappingMemory> of(String source) {
    if (most == 0) {
      return Optional.empty();
    }
    try {
      return RecordFile.read(file(source), MappingMemory.class);
    } catch (UncheckedIOException damaged) {
      LOG.info("{} is mapped anew: {}", source, damaged.toString());
      return Optional.empty();
    }
  }

  /** Where what is known of a source stands; empty where nothing is kept. */
  public Optional<Path> place(String source) {
    return most == 0 ? Optional.empty() : Optional.of(file(source).toAbsolutePath());
  }

  /** Keeps what is known of a source, and forgets those that were mapped longest ago. */
  public void keep(String source, MappingMemory memory) {
    if (most == 0) {
      return;
    }
    try {
      Files.createDirectories(directory, OWNERS_DIRECTORY);
      RecordFile.write(file(source), memory, OWNERS);
      forget();
    } catch (IOException | UncheckedIOException full) {
      LOG.warn("what is known of {} is not kept: {}", source, full.toString());
    }
  }

  private void forget() throws IOException {
    List<Path> kept;
    try (Stream<Path> files = Files.list(directory)) {
      kept =
          files
              .filter(file -> file.toString().endsWith(ENDING))
              .sorted(
                  Comparator.comparingLong((Path file) -> file.toFile().lastModified()).reversed())
              .toList();
    }
    for (Path file : kept.subList(Math.min(most, kept.size()), kept.size())) {
      Files.deleteIfExists(file);
    }
  }

  /** A source may be named relative to where the command is called. */
  private Path file(String source) {
    String name = Path.of("").toAbsolutePath() + "\n" + source;
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return directory.resolve(HexFormat.of().formatHex(hash, 0, 16) + ENDING);
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
