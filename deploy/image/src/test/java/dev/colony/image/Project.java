package dev.colony.image;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
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
   * What a node runs from, as the builds have it before they package: jars of others, and folders
   * of classes of ours, which become jars in the folder.
   */
  static Jars jars(Path folder) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (Path part : runtimeClassPath()) {
      if (Files.isDirectory(part)) {
        jars.add(pack(part, folder.resolve(module(part) + ".jar")));
      } else if (Files.exists(part)) {
        jars.add(part);
      }
    }
    return Jars.of(jars);
  }

  /** The jars of others that a node runs from, where the build took them from. */
  static List<Path> libraries() throws IOException {
    return runtimeClassPath().stream().filter(Project::isLibrary).toList();
  }

  /** Those that the tests here run with, and the image's builder among them. */
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

  static Legal legal() throws IOException {
    return Legal.of(root(), bom());
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
