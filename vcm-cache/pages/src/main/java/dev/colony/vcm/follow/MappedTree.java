package dev.colony.vcm.follow;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigRenderOptions;
import dev.colony.vcm.grouping.ContentIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;

/**
 * A directory, told from one of the same path on another machine, and what it is mapped by.
 *
 * @param directory its absolute path
 * @param identity device and inode, as the system names them
 * @param settings a digest of all settings that decide about its map
 */
public record MappedTree(String directory, String identity, String settings) {

  private static final List<String> DECIDING =
      List.of("colony.vcm.source", "colony.vcm.grouping", "colony.vcm.access.sensitivity");

  /** Empty where there is no such directory, or the system does not tell files apart. */
  public static Optional<MappedTree> of(Path directory, Config config) {
    Path absolute = directory.toAbsolutePath().normalize();
    try {
      BasicFileAttributes attributes = Files.readAttributes(absolute, BasicFileAttributes.class);
      Object identity = attributes.fileKey();
      return identity == null || !attributes.isDirectory()
          ? Optional.empty()
          : Optional.of(new MappedTree(absolute.toString(), identity.toString(), settings(config)));
    } catch (IOException none) {
      return Optional.empty();
    }
  }

  private static String settings(Config config) {
    StringBuilder all = new StringBuilder();
    DECIDING.forEach(
        path -> all.append(config.getValue(path).render(ConfigRenderOptions.concise())));
    return ContentIds.text(all.toString());
  }

  /** By which what is known of the directory is stored. */
  String key() {
    return ContentIds.text(directory);
  }
}
