package dev.colony.image;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * A root file system as a base image of one layer, in the form of {@code docker save}, which Jib
 * reads. Jib's own layers follow symbolic links; a C library's are meant to stay.
 */
final class BaseTar {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String TEMPORARY = "tmp";
  private static final int ALL_MAY_WRITE_OWN = 01777;
  private static final int EXECUTABLE = 0100;

  private BaseTar() {}

  /**
   * Writes it. The same files give the same layer.
   *
   * @param root all below it but what is in the folder {@code opt}; owned by root in the image
   * @param architecture in Go's words, as images have it
   */
  static void write(Path root, String architecture, Path tar) throws IOException {
    Path layer = tar.resolveSibling("base-layer.tar");
    String digest = "sha256:" + writeLayer(root, layer);
    Map<String, Object> config =
        Map.of(
            "architecture",
            architecture,
            "os",
            "linux",
            "config",
            Map.of(),
            "rootfs",
            Map.of("type", "layers", "diff_ids", List.of(digest)));
    Object manifest = List.of(Map.of("Config", "config.json", "Layers", List.of("layer.tar")));
    try (TarArchiveOutputStream out = new TarArchiveOutputStream(Files.newOutputStream(tar))) {
      add(out, "config.json", JSON.writeValueAsBytes(config));
      add(out, "manifest.json", JSON.writeValueAsBytes(manifest));
      TarArchiveEntry entry = new TarArchiveEntry("layer.tar");
      entry.setSize(Files.size(layer));
      out.putArchiveEntry(entry);
      Files.copy(layer, out);
      out.closeArchiveEntry();
    }
  }

  private static String writeLayer(Path root, Path layer) throws IOException {
    MessageDigest digest = sha256();
    try (OutputStream buffered = new BufferedOutputStream(Files.newOutputStream(layer));
        TarArchiveOutputStream out =
            new TarArchiveOutputStream(
                new DigestOutputStream(buffered, digest), StandardCharsets.UTF_8.name())) {
      out.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      for (Path file : files(root)) {
        out.putArchiveEntry(entry(root, file));
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          Files.copy(file, out);
        }
        out.closeArchiveEntry();
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static List<Path> files(Path root) throws IOException {
    Path above = root.resolve("opt");
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> !file.equals(root) && (file.equals(above) || !file.startsWith(above)))
          .sorted()
          .toList();
    }
  }

  private static TarArchiveEntry entry(Path root, Path file) throws IOException {
    String name = root.relativize(file).toString();
    TarArchiveEntry entry;
    if (Files.isSymbolicLink(file)) {
      entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
      entry.setLinkName(Files.readSymbolicLink(file).toString());
    } else if (Files.isDirectory(file)) {
      entry = new TarArchiveEntry(name + "/");
    } else {
      entry = new TarArchiveEntry(name);
      entry.setSize(Files.size(file));
    }
    entry.setMode(name.equals(TEMPORARY) ? ALL_MAY_WRITE_OWN : permissions(file));
    entry.setModTime(Contents.FILE_TIME);
    return entry;
  }

  /** Whatever the umask of the builder: all may read, and only root may write. */
  private static int permissions(Path file) throws IOException {
    int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return (mode & EXECUTABLE) != 0 ? 0755 : 0644;
  }

  private static void add(TarArchiveOutputStream out, String name, byte[] content)
      throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setSize(content.length);
    out.putArchiveEntry(entry);
    out.write(content);
    out.closeArchiveEntry();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
