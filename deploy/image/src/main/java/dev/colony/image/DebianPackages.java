package dev.colony.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The Debian packages that a Java runtime stands on, from the archive that this machine's apt uses.
 * They are unpacked, not installed: no script of theirs runs.
 */
final class DebianPackages {

  /** Java brings its own root certificates and its own time zones. */
  private static final List<String> NAMES = List.of("base-files", "libc6", "libgcc-s1", "zlib1g");

  /**
   * What no node reads: manuals, translations, character sets that Java converts itself, and the
   * settings of a system that boots. Licences stay, as they must.
   */
  private static final Pattern UNUSED =
      Pattern.compile(
          "usr/share/doc/.*/(?!copyright$)[^/]+|usr/share/(man|locale|lintian|info|bug)/.*"
              + "|(usr/)?lib/[^/]+/(gconv|audit)/.*|etc/update-motd.d/.*|etc/(issue|motd).*");

  private final Path downloads;

  /**
   * @param downloads an empty folder
   */
  DebianPackages(Path downloads) {
    this.downloads = downloads;
  }

  /**
   * Unpacks them into the root.
   *
   * @return why it cannot be done here; empty where it is done
   */
  Optional<String> unpack(Path root) throws IOException {
    List<String> download = new ArrayList<>(List.of("apt-get", "-q", "download"));
    download.addAll(NAMES);
    try {
      if (new Tool(downloads).run(download).isEmpty()) {
        return Optional.of("there is no apt-get here");
      }
    } catch (ImageFailure unreachable) {
      return Optional.of(unreachable.getMessage());
    }
    Path status = Files.createDirectories(root.resolve("var/lib/dpkg/status.d"));
    Tool dpkg = new Tool(root);
    for (Path archive : archives()) {
      dpkg.require(List.of("dpkg-deb", "--extract", archive.toString(), root.toString()));
      // where scanners of images look for what is in them
      String control = dpkg.require(List.of("dpkg-deb", "--field", archive.toString()));
      String name = archive.getFileName().toString().split("_", 2)[0];
      Files.writeString(status.resolve(name), control + "\n");
    }
    prune(root);
    return Optional.empty();
  }

  /** By name, so that base-files, which says where libraries stand, is the first. */
  private List<Path> archives() throws IOException {
    try (Stream<Path> files = Files.list(downloads)) {
      return files.filter(file -> file.toString().endsWith(".deb")).sorted().toList();
    }
  }

  private static void prune(Path root) throws IOException {
    List<Path> unused;
    try (Stream<Path> files = Files.walk(root)) {
      unused =
          files
              .filter(file -> !Files.isDirectory(file) || Files.isSymbolicLink(file))
              .filter(file -> UNUSED.matcher(root.relativize(file).toString()).matches())
              .toList();
    }
    for (Path file : unused) {
      Files.delete(file);
    }
  }
}
