package dev.colony.blackboard.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files and directories that no other user of the machine may open. */
public final class OwnerOnly {

  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private OwnerOnly() {}

  /**
   * Creates the directory where it is missing. One that is there is closed to others if it holds
   * the mark; any other is left as it is, since it may be shared on purpose, as {@code /tmp} is.
   *
   * @param mark the name of an entry by which a directory of ours is known
   */
  public static void directory(Path path, String mark) throws IOException {
    if (!Files.isDirectory(path)) {
      if (path.getParent() != null) {
        Files.createDirectories(path.getParent());
      }
      Files.createDirectories(path, PosixFilePermissions.asFileAttribute(DIRECTORY));
    } else if (Files.exists(path.resolve(mark))
        && !Files.getPosixFilePermissions(path).equals(DIRECTORY)) {
      Files.setPosixFilePermissions(path, DIRECTORY);
    }
  }

  /** Writes the whole file or leaves it as it was; at no time may another user read it. */
  static void write(Path path, String text) throws IOException {
    Path partial = path.resolveSibling(path.getFileName() + ".partial");
    Files.deleteIfExists(partial);
    Files.createFile(partial, PosixFilePermissions.asFileAttribute(FILE));
    Files.writeString(partial, text);
    Files.move(partial, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
