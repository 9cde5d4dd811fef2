package dev.colony.cli;

import dev.colony.cli.local.StateDirectory;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * How the JVMs that tests start by the dozen get ready in half the time: they find the classes that
 * a start loads in an AOT cache, as those of the launcher do. A JVM caches classes of jars only, so
 * that folders of the class path are packed. Made once, for all tests of this JVM.
 */
final class QuickStart {

  private static final int FIRST_JDK = 25;
  private static final long LONGEST_MINUTES = 3;

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
      Path folder = Files.createTempDirectory("colony-quick-start");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      String classPath = ofJars(System.getProperty("java.class.path"), folder);
      Path cache = folder.resolve("classes.aot");
      if (Runtime.version().feature() >= FIRST_JDK && made(cache, usual, classPath, folder)) {
        all.add("-XX:AOTCache=" + cache);
        all.add("-Xlog:disable");
      }
      all.addAll(List.of("-cp", classPath));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return List.copyOf(all);
  }

  private static boolean made(Path cache, List<String> options, String classPath, Path folder)
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
    boolean made = Files.isRegularFile(cache);
    if (!made) {
      System.err.println("no AOT cache, the tests take longer: " + Files.readString(log));
    }
    return made;
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
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        zip.putNextEntry(
            new ZipEntry(folder.relativize(file).toString().replace(File.separatorChar, '/')));
        Files.copy(file, zip);
        zip.closeEntry();
      }
    }
  }

  private static void delete(Path folder) {
    try {
      StateDirectory.deleteTree(folder);
    } catch (IOException leftBehind) {
      System.err.println("left behind: " + folder + ": " + leftBehind);
    }
  }
}
