package dev.colony.cli.local;

import dev.colony.schema.JsonValues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Optional;

/** A record as JSON in a file of the state directory: a reader sees all of it or nothing. */
final class RecordFile {

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
}
