package dev.colony.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jars that a node runs from, by where they stand in the image. Their order is fixed: the JVM
 * takes an AOT cache only for the class path that it was trained with.
 *
 * @param libraries of others, by name
 * @param application ours, by name
 */
record Jars(List<Path> libraries, List<Path> application) {

  Jars {
    libraries = List.copyOf(libraries);
    application = List.copyOf(application);
  }

  /**
   * Reads a folder of jars.
   *
   * @throws ImageFailure if it holds none of ours
   */
  static Jars in(Path folder) throws IOException {
    Jars jars;
    try (Stream<Path> files = Files.list(folder)) {
      jars = of(files.filter(file -> file.toString().endsWith(".jar")).toList());
    }
    if (jars.application().isEmpty()) {
      throw ImageFailure.badInput(folder + " holds no jars of Colony: build them first");
    }
    return jars;
  }

  /** Tells ours from those of others. */
  static Jars of(Collection<Path> jars) throws IOException {
    List<Path> libraries = new ArrayList<>();
    List<Path> application = new ArrayList<>();
    for (Path jar : jars.stream().sorted(Comparator.comparing(Path::getFileName)).toList()) {
      (OwnJar.is(jar) ? application : libraries).add(jar);
    }
    return new Jars(libraries, application);
  }

  /** Puts them and the class path that names them into the root of an image. */
  void layOut(Path root) throws IOException {
    Path others = Files.createDirectories(inside(root, Contents.LIBRARIES));
    Path ours = Files.createDirectories(inside(root, Contents.APPLICATION));
    for (Path jar : libraries) {
      RedisJar.copy(jar, others.resolve(jar.getFileName()));
    }
    for (Path jar : application) {
      OwnJar.rewrite(jar, ours.resolve(jar.getFileName()));
    }
    Files.writeString(inside(root, Contents.CLASS_PATH), "-cp\n" + classPath("") + "\n");
  }

  /**
   * The class path of a node whose image is unpacked below the prefix. What others add stands last,
   * where it leaves the AOT cache of use.
   */
  String classPath(String root) {
    return Stream.of(
            application.stream().map(jar -> Contents.APPLICATION + "/" + jar.getFileName()),
            libraries.stream().map(jar -> Contents.LIBRARIES + "/" + jar.getFileName()),
            Stream.of(Contents.AGENTS + "/*"))
        .flatMap(Function.identity())
        .map(path -> root + path)
        .collect(Collectors.joining(":"));
  }

  private static Path inside(Path root, String path) {
    return root.resolve(path.substring(1));
  }
}
