package dev.colony.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One image from its parts.
 *
 * @param jdk whose runtime and tools are used
 * @param base an image to build on; empty for a root file system of packages
 * @param progress is told each step in a line
 */
record ImageBuild(
    Path jdk,
    Jars jars,
    Legal legal,
    String version,
    Optional<String> base,
    Consumer<String> progress) {

  /**
   * Builds it.
   *
   * @param work an empty folder
   * @param name of the image
   * @param output the tarball
   * @return the files of the image, in the work folder
   */
  ImageRoot run(Path work, String name, Path output) throws IOException {
    ImageRoot root = layOut(work.resolve("root"), work);
    String below = base.isPresent() ? base.get() : "tar://" + rootFileSystem(root, work);
    progress.accept("packing");
    new Tarball(below, name, version, architecture(), work.resolve("cache")).write(root, output);
    progress.accept(Breakdown.of(root, output).text());
    return root;
  }

  /**
   * Writes what stands above the base into a new folder, each file where it is in the image.
   *
   * @param work an empty folder
   */
  ImageRoot layOut(Path folder, Path work) throws IOException {
    progress.accept("linking the Java runtime, copying jars");
    ImageRoot root = ImageRoot.create(folder, jdk, jars, legal);
    progress.accept("training the AOT cache: a node starts, answers and ends");
    new Training(root, jars, Files.createDirectory(work.resolve("training"))).run();
    return root;
  }

  private Path rootFileSystem(ImageRoot root, Path work) throws IOException {
    progress.accept("laying out the base");
    RootFileSystem.layOut(
        root.path(),
        root.inside(Contents.JAVA_HOME),
        Files.createDirectory(work.resolve("packages")),
        progress);
    Path tar = work.resolve("base.tar");
    BaseTar.write(root.path(), architecture(), tar);
    return tar;
  }

  /** In Go's words, as images have it. */
  static String architecture() {
    String here = System.getProperty("os.arch");
    return switch (here) {
      case "amd64", "x86_64" -> "amd64";
      case "aarch64" -> "arm64";
      default -> here;
    };
  }
}
