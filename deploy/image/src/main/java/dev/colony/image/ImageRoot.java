package dev.colony.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A folder that holds the image's files where they stand in it; the layers are parts of it. */
record ImageRoot(Path path) {

  /** Links the runtime and lays out the jars, with the times that the AOT cache is bound to. */
  static ImageRoot create(Path path, Path jdk, Jars jars, Legal legal) throws IOException {
    ImageRoot root = new ImageRoot(path.toAbsolutePath().normalize());
    Path runtime = root.inside(Contents.JAVA_HOME);
    Files.createDirectories(runtime.getParent());
    JavaRuntime.link(jdk, runtime);
    jars.layOut(root.path);
    legal.layOut(root.path);
    Files.writeString(root.inside(Contents.OPTIONS), JvmOptions.text());
    for (Layer layer : List.of(Layer.RUNTIME, Layer.LIBRARIES, Layer.APPLICATION)) {
      root.stamp(layer);
    }
    return root;
  }

  /** Where a path of the image is on this machine. */
  Path inside(String absolute) {
    return path.resolve(absolute.substring(1));
  }

  /** Gives all files of the layer the one time that they have in the image. */
  void stamp(Layer layer) throws IOException {
    try (Stream<Path> files = Files.walk(inside(layer.folder()))) {
      for (Path file : files.filter(file -> !Files.isSymbolicLink(file)).toList()) {
        Files.setLastModifiedTime(file, Contents.FILE_TIME);
      }
    }
  }

  /** The bytes of the layer's files, before they are packed; 0 where the image lacks the layer. */
  long sizeBytes(Layer layer) throws IOException {
    Path folder = inside(layer.folder());
    if (!Files.exists(folder)) {
      return 0;
    }
    long sum = 0;
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file :
          files.filter(f -> Files.isRegularFile(f, LinkOption.NOFOLLOW_LINKS)).toList()) {
        sum += Files.size(file);
      }
    }
    return sum;
  }
}
