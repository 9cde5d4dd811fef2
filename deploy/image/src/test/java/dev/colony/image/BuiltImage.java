package dev.colony.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;

/**
 * An image, built once for all tests of this JVM, and deleted with it.
 *
 * @param jars what it holds
 * @param tar the tarball
 * @param laidOut its files as they were laid out
 * @param unpacked the files of the tarball, as a container's runtime unpacks them, and a jar with
 *     the tests' own agents, as users add theirs
 * @param entries what the layers say of them, by name
 */
record BuiltImage(
    Jars jars, Path tar, ImageRoot laidOut, Path unpacked, Map<String, TarArchiveEntry> entries) {

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
    Path tar = folder.resolve("image.tar");
    ImageRoot root =
        new ImageBuild(jdk(), jars, Project.legal(), "1.2.3", Optional.empty(), System.out::println)
            .run(Files.createDirectory(folder.resolve("work")), "colony:test", tar);
    Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
    BuiltImage image = new BuiltImage(jars, tar, root, unpacked, UnpackedImage.into(unpacked, tar));
    OwnTypes.addTo(unpacked);
    return image;
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
