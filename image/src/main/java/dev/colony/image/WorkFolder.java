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

  static WorkFolder create() throws IOException {
    return new WorkFolder(Files.createTempDirectory("colony-image-").toRealPath());
  }

  /** The same where nobody can be told that it cannot be deleted. */
  void delete() {
    try {
      close();
    } catch (IOException left) {
      throw new UncheckedIOException(left);
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
