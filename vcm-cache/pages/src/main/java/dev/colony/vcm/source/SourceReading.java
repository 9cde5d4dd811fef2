package dev.colony.vcm.source;

import dev.colony.vcm.source.ContextPageSource.SourceFile;
import java.util.List;
import java.util.Optional;

/** What became of looking a source through. */
public sealed interface SourceReading {

  /**
   * Its files were found; their texts are read when they are asked for.
   *
   * @param label where it came from, for people
   * @param files ordered by path, each path once
   * @param unreadable what could not be looked at, relative to the root
   * @param coChange which files were changed together
   * @param reference the spec by which other processes that see the same files can read this very
   *     state or a later one, see {@link ContextPageSource#file}; empty where none can
   */
  record Read(
      String label,
      List<SourceFile> files,
      List<String> unreadable,
      CoChange coChange,
      Optional<String> reference)
      implements SourceReading {
    public Read {
      files = List.copyOf(files);
      unreadable = List.copyOf(unreadable);
    }

    public Read(String label, List<SourceFile> files) {
      this(label, files, List.of(), CoChange.NONE, Optional.empty());
    }
  }

  /**
   * It cannot be read.
   *
   * @param reason one line for the caller who named the source
   */
  record Refused(String reason) implements SourceReading {}

  /** What reading one file of a source gave. */
  sealed interface FileText {

    /**
     * Its text.
     *
     * @param sizeBytes as it is stored
     */
    record Text(String text, long sizeBytes) implements FileText {}

    /** It is on no page. */
    record Left(Why why) implements FileText {}

    /** Why a file is left out. */
    enum Why {
      /** Nothing stands in it. */
      EMPTY,
      /** It is no UTF-8 text. */
      BINARY,
      /** It is larger, or has a longer line, than the settings let in. */
      OVERSIZED,
      /** It cannot be read, or is gone. */
      UNREADABLE
    }
  }
}
