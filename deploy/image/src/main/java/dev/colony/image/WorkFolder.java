package dev.colony.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder, deleted when it is closed. */
record WorkFolder(Path path) implements AutoCloseable {

  private static final int ATTEMPTS = 100;

  static WorkFolder create() throws IOException {
    return new WorkFolder(Files.createTempDirectory("colony-image-").toRealPath());
  }

  /**
   * The same while a thread may still write to it: that soon fails for want of its folders, so that
   * a later attempt meets no writer.
   *
   * @throws IllegalStateException if something is left after the last attempt
   */
  void delete() {
    for (int attempt = 1; Files.exists(path); attempt++) {
      try {
        close();
      } catch (IOException | UncheckedIOException busy) {
        if (attempt == ATTEMPTS) {
          throw new IllegalStateException(path + " cannot be deleted", busy);
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> files = Files.walk(path)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : deepestFirst) {
      Files.deleteIfExists(file);
    }
  }
}
