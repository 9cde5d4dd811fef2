package dev.colony.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An image, built once for all tests of this JVM, and deleted with it.
 *
 * @param jars what it holds
 * @param tar the tarball
 * @param laidOut its files as they were laid out
 * @param said what the builder told
 */
record BuiltImage(Jars jars, Path tar, ImageRoot laidOut, List<String> said) {

  private static BuiltImage shared;

  static synchronized BuiltImage shared() {
    if (shared == null) {
      try {
        WorkFolder folder = WorkFolder.create();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        shared = build(folder.path());
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
    return shared;
  }

  private static BuiltImage build(Path folder) throws IOException {
    Jars jars = Project.jars(Files.createDirectory(folder.resolve("jars")));
    List<String> said = new ArrayList<>();
    Path tar = folder.resolve("image.tar");
    ImageRoot root =
        new ImageBuild(jdk(), jars, "1.2.3", Optional.empty(), said::add)
            .run(Files.createDirectory(folder.resolve("work")), "colony:test", tar);
    said.forEach(System.out::println);
    return new BuiltImage(jars, tar, root, said);
  }

  static Path jdk() {
    return Path.of(System.getProperty("java.home"));
  }

  private static void delete(WorkFolder folder) {
    try {
      folder.close();
    } catch (IOException left) {
      System.err.println("left behind: " + left.getMessage());
    }
  }
}
