package dev.colony.vcm.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;

/**
 * Tells by its attributes whether a file has changed. A file that was written a moment before it
 * was looked at may be written again within the same tick of its clock, and has no stamp: Git calls
 * such an entry of its index racy.
 */
final class FileStamp {

  private static final Duration TICK = Duration.ofSeconds(2);

  private FileStamp() {}

  /** By the clock of the machine, as the file system dates its files. */
  static String of(BasicFileAttributes attributes) {
    Instant modified = attributes.lastModifiedTime().toInstant();
    return modified.isAfter(Instant.now().minus(TICK))
        ? ""
        : modified + "/" + attributes.size() + "/" + attributes.fileKey();
  }

  /** Of the file itself, where it is a link; not of what it leads to. */
  static BasicFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }
}
