package dev.colony.blackboard.payload;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A folder that all nodes mount. A payload is written under a name of its own that ends with
 * {@value #UNFINISHED}, synced, renamed, and the folders above it are synced, so that a crash of
 * the file server leaves the whole payload or none.
 */
final class FolderStore implements PayloadStore {

  static final String UNFINISHED = ".tmp";

  /** A folder may be removed as empty right before something is written into it. */
  private static final int ATTEMPTS = 10;

  private final Path root;

  /**
   * @throws UncheckedIOException where it is no folder that can be written to: it is never made, or
   *     a mount that is missing would not be noticed
   */
  FolderStore(Path root) {
    this.root = root;
    if (!Files.isDirectory(root) || !Files.isWritable(root)) {
      throw new UncheckedIOException(
          new NotDirectoryException(root + " is no folder that can be written to; is it mounted?"));
    }
  }

  @Override
  public void put(String name, byte[] bytes) throws IOException {
    Path file = root.resolve(name);
    for (int attempt = 1; ; attempt++) {
      try {
        write(file, bytes);
        return;
      } catch (NoSuchFileException removed) {
        if (attempt == ATTEMPTS) {
          throw removed;
        }
      }
    }
  }

  private void write(Path file, byte[] bytes) throws IOException {
    Files.createDirectories(file.getParent());
    Path unfinished =
        file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + UNFINISHED);
    try {
      try (FileChannel channel =
          FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
          channel.write(left);
        }
        channel.force(true);
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      Files.deleteIfExists(unfinished);
      throw failure;
    }
    // Another writer may have made a folder and not have synced it yet.
    for (Path folder = file.getParent(); folder.startsWith(root); folder = folder.getParent()) {
      sync(folder);
    }
  }

  /** Makes the names in a folder durable. */
  private static void sync(Path folder) throws IOException {
    try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  @Override
  public Optional<byte[]> get(String name, int most) throws IOException {
    try (InputStream file = Files.newInputStream(root.resolve(name))) {
      return Optional.of(file.readNBytes(most));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
  }

  @Override
  public void delete(String name) throws IOException {
    Path file = root.resolve(name);
    Files.deleteIfExists(file);
    try {
      for (Path folder = file.getParent();
          !folder.equals(root) && Files.deleteIfExists(folder);
          folder = folder.getParent()) {}
    } catch (DirectoryNotEmptyException others) {
      // They stay.
    }
  }

  @Override
  public List<String> list(String prefix, String after, int most) throws IOException {
    List<String> names = new ArrayList<>();
    list(prefix, after, most, names);
    return names;
  }

  private void list(String folder, String after, int most, List<String> names) throws IOException {
    List<Path> children;
    try (Stream<Path> all = Files.list(root.resolve(folder))) {
      children = all.sorted().toList();
    } catch (NoSuchFileException none) {
      return;
    } catch (UncheckedIOException failure) {
      throw failure.getCause();
    }
    for (Path child : children) {
      if (names.size() == most) {
        return;
      }
      String name = folder + child.getFileName();
      if (Files.isDirectory(child)) {
        if (after.startsWith(name + "/") || name.compareTo(after) > 0) {
          list(name + "/", after, most, names);
        }
      } else if (name.compareTo(after) > 0) {
        names.add(name);
      }
    }
  }

  @Override
  public String toString() {
    return "file:" + root;
  }

  @Override
  public void close() {}
}
