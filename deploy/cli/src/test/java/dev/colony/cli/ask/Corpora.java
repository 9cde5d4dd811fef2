package dev.colony.cli.ask;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Sources that are not of this project: the sources jars on the tests' class path, unpacked. */
final class Corpora {

  private Corpora() {}

  /** Unpacks Apache Lucene's core and Apache Pekko, each into a folder of its own. */
  static Path unpack(Path folder) {
    List<Path> jars =
        Arrays.stream(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
            .filter(entry -> entry.endsWith("-sources.jar"))
            .map(Path::of)
            .toList();
    for (Path jar : jars) {
      String name = jar.getFileName().toString();
      unpack(jar, folder.resolve(name.startsWith("lucene") ? "lucene" : "pekko"));
    }
    return folder;
  }

  private static void unpack(Path jar, Path folder) {
    try (InputStream in = Files.newInputStream(jar);
        ZipInputStream zip = new ZipInputStream(in)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        String name = entry.getName();
        if (name.endsWith(".java") || name.endsWith(".scala")) {
          Path file = folder.resolve(name).normalize();
          if (!file.startsWith(folder)) {
            throw new IllegalStateException(name + " leaves the folder");
          }
          Files.createDirectories(file.getParent());
          Files.copy(zip, file);
        }
      }
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot unpack " + jar, failure);
    }
  }
}
