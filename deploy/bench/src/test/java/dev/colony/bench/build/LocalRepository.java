package dev.colony.bench.build;

import dev.colony.bench.build.PublishedPoms.Published;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A local repository of Maven's in which what is published is installed, and which has the rest
 * from the machine's by links. What the project needs and this build does not, Maven loads into
 * that.
 */
final class LocalRepository implements AutoCloseable {

  private static final String GROUP = "dev";
  private static final String OWN = "colony";

  private final List<Path> links = new ArrayList<>();
  private final Path folder;

  LocalRepository(Path machine, Path repository, List<Published> published) throws Exception {
    this.folder = repository;
    link(machine, repository, GROUP);
    if (Files.isDirectory(machine.resolve(GROUP))) {
      link(machine.resolve(GROUP), repository.resolve(GROUP), OWN);
    }
    for (Published one : published) {
      String pom = one.text();
      String version = PublishedPoms.values(pom, "version").getFirst();
      Path folder = repository.resolve(GROUP).resolve(OWN).resolve(one.artifact()).resolve(version);
      Files.createDirectories(folder);
      String file = one.artifact() + "-" + version;
      Files.writeString(folder.resolve(file + ".pom"), pom);
      if (one.hasCode()) {
        jar(one.folder().resolve("target/classes"), folder.resolve(file + ".jar"));
      }
    }
  }

  Path folder() {
    return folder;
  }

  /** Takes the links away: nothing that clears the folder can follow one. */
  @Override
  public void close() throws IOException {
    for (Path link : links) {
      Files.delete(link);
    }
  }

  /** All that stands in a folder but one. */
  private void link(Path from, Path to, String but) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.filter(one -> !one.endsWith(but)).toList()) {
        links.add(
            Files.createSymbolicLink(to.resolve(entry.getFileName()), entry.toAbsolutePath()));
      }
    }
  }

  private static void jar(Path classes, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out);
        Stream<Path> all = Files.walk(classes)) {
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        entries.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, entries);
        entries.closeEntry();
      }
    }
  }
}
