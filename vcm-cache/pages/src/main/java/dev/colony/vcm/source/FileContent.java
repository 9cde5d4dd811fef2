package dev.colony.vcm.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The bytes of a file, at most so many of them. */
@FunctionalInterface
interface FileContent {

  FileContent ON_DISK =
      (file, limit) -> {
        try (InputStream in = Files.newInputStream(file)) {
          return in.readNBytes(limit);
        }
      };

  byte[] read(Path file, int limit) throws IOException;
}
