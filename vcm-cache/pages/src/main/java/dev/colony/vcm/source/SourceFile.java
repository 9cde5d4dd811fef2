package dev.colony.vcm.source;

import java.util.function.Supplier;

/**
 * One file of a source, whose text is read when it is asked for.
 *
 * @param path relative to the source's root, with forward slashes, without control characters
 * @param stamp changes whenever the content does: two files of one path and one stamp have one
 *     content; empty where only the content itself can tell
 * @param content reads it, each time anew; blocks, from several threads at once
 */
public record SourceFile(String path, String stamp, Supplier<FileText> content) {

  /** A file whose text is in memory. */
  public static SourceFile of(String path, String text) {
    FileText.Text content = new FileText.Text(text, text.length());
    return new SourceFile(path, "", () -> content);
  }
}
