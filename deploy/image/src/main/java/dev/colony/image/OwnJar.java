package dev.colony.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A jar of ours. The build stamps its entries with the time; rewritten without it, the same classes
 * give the same bytes, and so the same layer.
 */
final class OwnJar {

  private static final String CLASSES = "dev/colony/";

  private OwnJar() {}

  /** Whether the jar holds classes of this project. */
  static boolean is(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().anyMatch(entry -> entry.getName().startsWith(CLASSES));
    }
  }

  /** Writes the jar with its entries in order and without times. */
  static void rewrite(Path jar, Path target) throws IOException {
    try (JarFile from = new JarFile(jar.toFile());
        OutputStream file = Files.newOutputStream(target);
        ZipOutputStream to = new ZipOutputStream(file)) {
      for (ZipEntry entry : ordered(from)) {
        ZipEntry timeless = new ZipEntry(entry.getName());
        timeless.setTime(0);
        to.putNextEntry(timeless);
        try (InputStream content = from.getInputStream(entry)) {
          content.transferTo(to);
        }
        to.closeEntry();
      }
    }
  }

  /** The manifest first, where readers of jars look for it. */
  private static List<? extends ZipEntry> ordered(JarFile jar) {
    return jar.stream()
        .sorted(
            Comparator.comparing((ZipEntry entry) -> !entry.getName().startsWith("META-INF/"))
                .thenComparing(entry -> !entry.getName().equals(JarFile.MANIFEST_NAME))
                .thenComparing(ZipEntry::getName))
        .toList();
  }
}
