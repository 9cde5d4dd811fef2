package dev.colony.vcm.source;

import java.util.List;

/** What became of reading a source. */
public sealed interface SourceReading {

  /**
   * It was read.
   *
   * @param label where it came from, for people
   * @param files at least one, ordered by path
   */
  record Read(String label, List<SourceFile> files, SkippedFiles skipped) implements SourceReading {
    public Read {
      files = List.copyOf(files);
    }
  }

  /**
   * It cannot be read.
   *
   * @param reason one line for the person who named the source
   */
  record Refused(String reason) implements SourceReading {}
}
