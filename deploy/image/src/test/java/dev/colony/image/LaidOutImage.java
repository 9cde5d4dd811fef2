package dev.colony.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * What the image holds above its base, laid out once for all tests of this JVM as the Dockerfile
 * has it done, and deleted with it.
 *
 * @param application our jars, by the names that they have in the image
 * @param root where the files are, and beside them a jar with the tests' own agents, as users add
 *     theirs
 */
record LaidOutImage(List<String> application, Path root) {

  private static LaidOutImage shared;

  static synchronized LaidOutImage shared() {
    if (shared == null) {
      Path bom = Project.bom();
      try {
        Path folder = Files.createTempDirectory("colony-image");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        shared = layOut(folder, bom);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
    return shared;
  }

  private static LaidOutImage layOut(Path folder, Path bom) throws IOException {
    Path distribution = Files.createDirectory(folder.resolve("distribution"));
    List<String> ours =
        Project.distribution(distribution).stream()
            .map(jar -> jar.getFileName().toString())
            .toList();
    Files.copy(bom, distribution.resolve("bom.json"));
    Path root = folder.resolve("root");
    Project.printed(
        List.of(
            Project.root().resolve("deploy/image/lay-out").toString(),
            distribution.toString(),
            root.toString()));
    OwnTypes.addTo(root);
    return new LaidOutImage(ours, root);
  }

  private static void delete(Path folder) {
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure)
                throws IOException {
              Files.delete(directory);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException left) {
      System.err.println("left behind: " + left.getMessage());
    }
  }
}
