package dev.colony.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The library that carries servers of Redis for several platforms: an image needs those of its own.
 */
final class RedisJar {

  private static final Pattern SERVER = Pattern.compile("redis-server-.+-([a-z]+)-(\\w+)(\\.exe)?");

  private RedisJar() {}

  /** Copies a library; servers of Redis within it only where they run in the image. */
  static void copy(Path jar, Path target) throws IOException {
    if (!carriesServers(jar)) {
      Files.copy(jar, target);
      return;
    }
    try (JarFile from = new JarFile(jar.toFile());
        OutputStream file = Files.newOutputStream(target);
        ZipOutputStream to = new ZipOutputStream(file)) {
      List<ZipEntry> kept =
          from.stream().map(ZipEntry.class::cast).filter(entry -> runs(entry.getName())).toList();
      for (ZipEntry entry : kept) {
        ZipEntry copied = new ZipEntry(entry.getName());
        copied.setTime(0);
        to.putNextEntry(copied);
        try (InputStream content = from.getInputStream(entry)) {
          content.transferTo(to);
        }
        to.closeEntry();
      }
    }
  }

  private static boolean carriesServers(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().anyMatch(entry -> SERVER.matcher(entry.getName()).matches());
    }
  }

  private static boolean runs(String entry) {
    var server = SERVER.matcher(entry);
    return !server.matches()
        || server.group(1).equals("linux") && server.group(2).equals(ImageBuild.architecture());
  }
}
