package dev.colony.image;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Builds the image, or only lays out what a Dockerfile copies into one. */
@Command(
    name = "colony image",
    mixinStandardHelpOptions = true,
    description =
        "Builds the container image of a node as an OCI tarball, without a Docker engine.")
final class ImageCommand implements Callable<Integer> {

  @Option(
      names = "--libraries",
      required = true,
      hidden = true,
      description = "The folder of the jars that a node runs from.")
  private Path libraries;

  @Option(
      names = "--sources",
      required = true,
      hidden = true,
      description = "The folder of LICENSE and NOTICE.")
  private Path sources;

  @Option(names = "--colony-version", required = true, hidden = true, description = "Of Colony.")
  private String version;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      defaultValue = "colony-image.tar",
      description = "The tarball. Default: ${DEFAULT-VALUE}.")
  private Path output;

  @Option(
      names = "--base",
      paramLabel = "IMAGE",
      description = {
        "An image of a registry, or tar://FILE, to build on; it needs the C library.",
        "Default: a root file system of Debian packages, which apt-get downloads."
      })
  private String base;

  @Option(
      names = "--name",
      paramLabel = "NAME:TAG",
      description = "How the image is called where it is loaded. Default: colony:VERSION.")
  private String name;

  @Option(
      names = "--lay-out",
      paramLabel = "FOLDER",
      description = "Only writes what a Dockerfile copies above its base, into a new folder.")
  private Path layOut;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (Runtime.version().feature() < JavaRuntime.LEAST) {
      throw ImageFailure.badInput(
          "an image needs a JDK %d or newer, this is %d: set JAVA_HOME to one"
              .formatted(JavaRuntime.LEAST, Runtime.version().feature()));
    }
    Optional.ofNullable(name).ifPresent(Tarball::checkName);
    Optional.ofNullable(base).ifPresent(Tarball::checkBase);
    Path jdk = Path.of(System.getProperty("java.home"));
    Jars jars = Jars.in(libraries);
    Path target = target();
    Legal legal = Legal.of(sources, libraries.resolveSibling("bom.json"));
    ImageBuild build =
        new ImageBuild(jdk, jars, legal, version, Optional.ofNullable(base), this::say);
    try (AtExit<WorkFolder> work = AtExit.open(WorkFolder::create, WorkFolder::delete)) {
      Path folder = work.get().path();
      if (layOut != null) {
        build.layOut(target, folder);
      } else {
        build.run(folder, Optional.ofNullable(name).orElse("colony:" + version), target);
      }
    }
    return 0;
  }

  /** What is written, where it can be: nothing is built only to fail at its end. */
  private Path target() {
    Path target = (layOut != null ? layOut : output).toAbsolutePath().normalize();
    if (layOut != null && Files.exists(layOut)) {
      throw ImageFailure.badInput(layOut + " is there already: name a folder that is not");
    }
    if (Files.isDirectory(target)) {
      throw ImageFailure.badInput(output + " is a folder: name a file with --output");
    }
    if (!Files.isWritable(target.getParent())) {
      throw ImageFailure.badInput(
          target.getParent() + " is no folder that can be written: create it, or name another");
    }
    return target;
  }

  private void say(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
