package dev.colony.cli.report;

import dev.colony.library.research.Evidence;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the files of a source are, as seen from a report.
 *
 * @param to the source's directory, relative to the report's, or absolute; empty where its files
 *     are in no directory
 */
public record Links(Optional<String> to) {

  /** Of a source whose files cannot be linked to. */
  public static final Links NONE = new Links(Optional.empty());

  private static final String PLAIN =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

  /** From a report to the files of a directory. */
  public static Links between(Path report, Path directory) {
    Path from = report.toAbsolutePath().normalize().getParent();
    Path to = directory.toAbsolutePath().normalize();
    String way =
        from.getRoot().equals(to.getRoot())
            ? from.relativize(to).toString().replace('\\', '/')
            : to.toUri().getPath();
    return new Links(Optional.of(way));
  }

  /**
   * A relative reference to the lines, in characters that mean nothing to HTML or Markdown; it
   * begins with a dot, so that no file's name is taken for a scheme.
   */
  Optional<String> of(Evidence lines) {
    return to.map(way -> {
      String path = way.isEmpty() ? lines.file() : way + "/" + lines.file();
      String last = lines.lastLine() == lines.firstLine() ? "" : "-L" + lines.lastLine();
      return (path.startsWith("/") || path.startsWith(".") ? "" : "./")
          + encoded(path)
          + "#L"
          + lines.firstLine()
          + last;
    });
  }

  private static String encoded(String path) {
    StringBuilder text = new StringBuilder();
    for (byte one : path.getBytes(StandardCharsets.UTF_8)) {
      char plain = (char) (one & 0xff);
      if (PLAIN.indexOf(plain) >= 0) {
        text.append(plain);
      } else {
        text.append("%%%02X".formatted(one & 0xff));
      }
    }
    return text.toString();
  }
}
