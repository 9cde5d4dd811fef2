package dev.colony.cli;

import dev.colony.blackboard.server.StateFolder;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * How the JVMs that tests start by the dozen get ready in half the time: they find the classes that
 * a start loads in an AOT cache, as those of the launcher do. A JVM caches classes of jars only, so
 * that folders of the class path are packed. Made once for a class path as it is, by the first of
 * the JVMs that run the tests of a module, in its {@code target}; the others wait for it.
 */
final class QuickStart {

  private static final int FIRST_JDK = 25;
  private static final long LONGEST_MINUTES = 3;
  private static final Path MADE = Path.of("target", "quick-start").toAbsolutePath();

  private static List<String> options;

  private QuickStart() {}

  /** The JVM's options, among them the class path. */
  static synchronized List<String> options() {
    if (options == null) {
      options = prepared();
    }
    return options;
  }

  private static List<String> prepared() {
    List<String> usual =
        List.of(
            "-Xmx1g",
            // these processes are short: compile quickly rather than well
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED");
    List<String> all = new ArrayList<>(usual);
    try {
      Path folder = MADE.resolve(digest(usual));
      Path cache = folder.resolve("classes.aot");
      Path ready = folder.resolve("class-path");
      Files.createDirectories(folder);
      try (FileChannel others =
          FileChannel.open(
              MADE.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        others.lock(); // until it is closed
        if (!Files.exists(ready)) {
          deleteOthers(folder);
          String classPath = ofJars(System.getProperty("java.class.path"), folder);
          if (Runtime.version().feature() >= FIRST_JDK) {
            made(cache, usual, classPath, folder);
          }
          Files.writeString(ready, classPath);
        }
      }
      if (Files.exists(cache)) {
        all.add("-XX:AOTCache=" + cache);
        all.add("-Xlog:disable");
      }
      all.addAll(List.of("-cp", Files.readString(ready)));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return List.copyOf(all);
  }

  /** Of the JVM, its options and what stands on the class path, by sizes and times. */
  private static String digest(List<String> options) throws IOException {
    StringBuilder all = new StringBuilder(Runtime.version() + " " + options);
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      try (Stream<Path> files = Files.walk(Path.of(entry))) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          all.append('\n').append(file).append(' ').append(Files.size(file));
          all.append(' ').append(Files.getLastModifiedTime(file));
        }
      }
    }
    return UUID.nameUUIDFromBytes(all.toString().getBytes(StandardCharsets.UTF_8)).toString();
  }

  private static void deleteOthers(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(MADE)) {
      for (Path other : all.filter(Files::isDirectory).toList()) {
        if (!other.equals(folder)) {
          StateFolder.deleteTree(other);
        }
      }
    }
  }

  private static void made(Path cache, List<String> options, String classPath, Path folder)
      throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(options);
    line.add("-XX:AOTCacheOutput=" + cache);
    line.addAll(List.of("-cp", classPath, dev.colony.cli.Main.class.getName(), "warm-up"));
    Path log = folder.resolve("log");
    Process training =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!training.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)) {
        training.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
    if (!Files.exists(cache)) {
      System.err.println("no AOT cache, the tests take longer: " + Files.readString(log));
    }
  }

  private static String ofJars(String classPath, Path folder) throws IOException {
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      Path place = Path.of(entry);
      if (Files.isDirectory(place)) {
        Path jar = folder.resolve(entries.size() + ".jar");
        pack(place, jar);
        entries.add(jar.toString());
      } else {
        entries.add(entry);
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  private static void pack(Path folder, Path jar) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(jar));
        ZipOutputStream zip = new ZipOutputStream(out);
        Stream<Path> files = Files.walk(folder)) {
      zip.setLevel(Deflater.NO_COMPRESSION);
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        zip.putNextEntry(
            new ZipEntry(folder.relativize(file).toString().replace(File.separatorChar, '/')));
        Files.copy(file, zip);
        zip.closeEntry();
      }
    }
  }
}
