package dev.colony.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A root file system of nothing but the libraries of this machine that Java is linked against. */
final class MachineLibraries {

  /** Nothing is linked against these: the C library loads them when it looks up a host. */
  private static final List<String> LOOKUPS =
      List.of("libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2");

  private MachineLibraries() {}

  /** Copies them to the places that they have here, symbolic links followed. */
  static void copy(Collection<Path> libraries, Path root) throws IOException {
    Set<Path> all = new LinkedHashSet<>(libraries);
    for (Path library : libraries) {
      LOOKUPS.stream().map(library::resolveSibling).filter(Files::exists).forEach(all::add);
    }
    for (Path library : all) {
      Path target = root.resolve(library.toString().substring(1));
      Files.createDirectories(target.getParent());
      Files.copy(library.toRealPath(), target);
    }
  }
}
