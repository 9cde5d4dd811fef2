package dev.colony.image;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** The project that the tests stand in. */
final class Project {

  private Project() {}

  static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("settings.gradle.kts"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  /**
   * Makes a distribution of what the builds have before they package: links to the jars of others,
   * and jars of the folders of our classes.
   *
   * @return our jars
   */
  static List<Path> distribution(Path folder) throws IOException {
    List<Path> ours = new ArrayList<>();
    Path jars = Files.createDirectories(folder.resolve("lib"));
    for (Path part : runtimeClassPath()) {
      if (Files.isDirectory(part)) {
        ours.add(pack(part, jars.resolve(module(part) + ".jar")));
      } else if (part.toAbsolutePath().startsWith(root()) && Files.exists(part)) {
        ours.add(Files.copy(part, jars.resolve(part.getFileName())));
      } else if (Files.exists(part)) {
        Files.createSymbolicLink(jars.resolve(part.getFileName()), part.toAbsolutePath());
      }
    }
    return ours;
  }

  static Path jdk() {
    return Path.of(System.getProperty("java.home"));
  }

  /**
   * What a program prints, to both of its streams.
   *
   * @throws IllegalStateException if it ends with another status than 0; with all that it printed
   */
  static String printed(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", jdk().toString());
    Process process = builder.start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.onExit().join().exitValue();
    if (status != 0) {
      throw new IllegalStateException(
          command.getFirst() + " ended with " + status + ": " + printed);
    }
    return printed;
  }

  /** The jars of others that a node runs from, where the build took them from. */
  static List<Path> libraries() throws IOException {
    return runtimeClassPath().stream().filter(Project::isLibrary).toList();
  }

  /** Those that the tests here run with. */
  static Stream<Path> ownLibraries() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .filter(Project::isLibrary);
  }

  private static boolean isLibrary(Path part) {
    return Files.isRegularFile(part) && !part.toAbsolutePath().startsWith(root());
  }

  /**
   * The bill of materials. Maven's build writes it, but not with {@code -o}, and Gradle's does not:
   * a test ends here where they have left none.
   */
  static Path bom() {
    Path target = root().resolve("deploy/cli/target");
    Path bom = target.resolve("colony/bom.json");
    assumeTrue(
        Files.exists(bom)
            || Files.exists(target.resolve("runtime.classpath"))
                && !Boolean.getBoolean("maven.offline"),
        "build with Maven, without -o, for " + bom);
    return bom;
  }

  private static List<Path> runtimeClassPath() throws IOException {
    Path program = root().resolve("deploy/cli");
    List<Path> parts = new ArrayList<>();
    Path file = program.resolve("build/runtime.classpath");
    if (Files.exists(program.resolve("target/runtime.classpath"))) {
      file = program.resolve("target/runtime.classpath");
      parts.add(program.resolve("target/classes"));
    }
    Arrays.stream(Files.readString(file).strip().split(File.pathSeparator))
        .map(Path::of)
        .forEach(parts::add);
    return parts;
  }

  /** The module whose classes or resources these are. */
  private static String module(Path classes) {
    return root().relativize(classes).toString().replace(File.separatorChar, '-');
  }

  /** Makes a jar of a folder of classes. */
  static Path pack(Path classes, Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
    return jar;
  }
}
