package dev.colony.cli.report;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** The file that a report is written to; its ending says how. */
public record ReportFile(Path path) {

  /**
   * @throws CommandFailure if it ends otherwise than {@code .md} and {@code .html}, or cannot be
   *     written where it is
   */
  public static ReportFile of(Path path) {
    String name = String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT);
    if (!name.endsWith(".md") && !name.endsWith(".html")) {
      throw refused(path, "give a file that ends with .md or .html", null);
    }
    if (Files.isDirectory(path)) {
      throw refused(path, "is a directory", null);
    }
    Path directory = path.toAbsolutePath().getParent();
    if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
      throw refused(path, "its directory cannot be written", null);
    }
    return new ReportFile(path);
  }

  /**
   * Writes a report in place of what the file held: all of it or nothing.
   *
   * @throws CommandFailure if it cannot be written
   */
  public void write(Document document) {
    boolean html = path.toString().toLowerCase(Locale.ROOT).endsWith(".html");
    Path unfinished = null;
    try {
      Path directory = path.toAbsolutePath().getParent();
      unfinished =
          directory.resolve(
              ".%s.%d.new".formatted(path.getFileName(), ProcessHandle.current().pid()));
      Files.writeString(unfinished, html ? HtmlReport.of(document) : MarkdownReport.of(document));
      Files.move(unfinished, path.toAbsolutePath(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      delete(unfinished);
      throw refused(path, "cannot be written", failure);
    }
  }

  private static void delete(Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException leftBehind) {
      // What could not be written is what is reported.
    }
  }

  private static CommandFailure refused(Path path, String why, IOException cause) {
    return new CommandFailure(ExitCode.BAD_INPUT, "--report %s: %s".formatted(path, why), cause);
  }
}
