package dev.colony.image;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import com.google.cloud.tools.jib.api.buildplan.Port;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/**
 * Packs the layers of a root folder above a base image.
 *
 * @param base {@code tar://FILE} or the name of an image in a registry
 * @param name how the image is called where it is loaded, for example {@code colony:0.1.0}
 * @param version of Colony, a label of the image
 * @param architecture in Go's words
 * @param cache a folder for packed layers
 */
record Tarball(String base, String name, String version, String architecture, Path cache) {

  private static final String FILE = "tar://";
  private static final FilePermissions PLAIN = FilePermissions.fromOctalString("644");
  private static final FilePermissions EXECUTABLE = FilePermissions.fromOctalString("755");

  /**
   * Writes the image; the same files and the same base give the same layers.
   *
   * @throws ImageFailure if the base cannot be read or pulled
   */
  void write(ImageRoot root, Path output) throws IOException {
    try {
      JibContainerBuilder image =
          Jib.from(base)
              .setFormat(ImageFormat.OCI)
              .setPlatforms(Set.of(new Platform(architecture, "linux")))
              .setCreationTime(Contents.TIME)
              .setUser(Contents.USER)
              .setWorkingDirectory(AbsoluteUnixPath.get("/tmp"))
              .setEntrypoint(Contents.ENTRY_POINT)
              .setProgramArguments()
              .setExposedPorts(Contents.PORTS.stream().map(Port::tcp).collect(Collectors.toSet()))
              .setLabels(Contents.LABELS)
              .addLabel("org.opencontainers.image.version", version);
      for (Layer layer : Layer.values()) {
        if (Files.exists(root.inside(layer.folder()))) {
          image.addFileEntriesLayer(layer(root, layer));
        }
      }
      image.containerize(
          Containerizer.to(TarImage.at(output).named(name))
              .setToolName("colony")
              .setApplicationLayersCache(cache.resolve("layers"))
              .setBaseImageLayersCache(cache.resolve("base")));
    } catch (InvalidImageReferenceException unusable) {
      throw ImageFailure.badInput(unusable.getMessage());
    } catch (RegistryException | CacheDirectoryCreationException | ExecutionException failure) {
      throw ImageFailure.fault(
          "cannot build on %s: %s".formatted(base, failure.getMessage()), failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw ImageFailure.fault("interrupted", interrupted);
    }
  }

  /**
   * Finds before half a minute of work what would fail after it.
   *
   * @throws ImageFailure if no image can be called that
   */
  static void checkName(String name) {
    try {
      ImageReference.parse(name);
    } catch (InvalidImageReferenceException none) {
      throw ImageFailure.badInput(
          "'%s' is no name of an image: write it as registry.example.com/acme/colony:0.1.0"
              .formatted(name));
    }
  }

  /**
   * The same of a base; whether a registry has it shows when it is pulled.
   *
   * @throws ImageFailure if it names a file that cannot be read, or nothing that an image is called
   */
  static void checkBase(String base) {
    if (!base.startsWith(FILE)) {
      checkName(base);
    } else if (!Files.isReadable(Path.of(base.substring(FILE.length())))) {
      throw ImageFailure.badInput(base + " cannot be read: name a file that docker save wrote");
    }
  }

  private static FileEntriesLayer layer(ImageRoot root, Layer layer) throws IOException {
    return FileEntriesLayer.builder()
        .setName(layer.title())
        .addEntryRecursive(
            root.inside(layer.folder()),
            AbsoluteUnixPath.get(layer.folder()),
            (file, place) ->
                Files.isDirectory(file) || Files.isExecutable(file) ? EXECUTABLE : PLAIN,
            (file, place) -> Contents.TIME)
        .build();
  }
}
