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
   * @param vendored folders that were passed over: the code of others, and what builds make
   * @param coChange which files were changed together
   * @param reference the spec by which other processes that see the same files can read this very
   *     state or a later one, see {@link ContextPageSource#file}; empty where none can
   */
  record Read(
      String label,
      List<SourceFile> files,
      List<String> unreadable,
      List<String> vendored,
      CoChange coChange,
      Optional<String> reference)
      implements SourceReading {
    public Read {
      files = List.copyOf(files);
      unreadable = List.copyOf(unreadable);
      vendored = List.copyOf(vendored);
    }

    public Read(String label, List<SourceFile> files) {
      this(label, files, List.of(), List.of(), CoChange.NONE, Optional.empty());
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
     * @param text of a document what it says; of other files their lines, those in rows that are
     *     too long for a page
     * @param sizeBytes as it is stored; of a document of its text
     */
    record Text(String text, long sizeBytes) implements FileText {}

    /** It is on no page. */
    record Left(Why why) implements FileText {}

    /** Why a file is left out. */
    enum Why {
      /** Nothing stands in it; in a document no text, as in one of pictures. */
      EMPTY("empty", "empty", ""),
      /** It is no text of an encoding that is known, and no document. */
      BINARY("binary", "binary", ""),
      /**
       * It, or what it unpacks to, is larger than the settings and the bounds of documents let in.
       */
      OVERSIZED("oversized", "too large", ""),
      /** It cannot be read, or is gone. */
      UNREADABLE("unreadable", "unreadable", ""),
      /** A pointer of Git LFS stands in its place. */
      LFS_POINTER("lfsPointer", "Git LFS pointer", "s"),
      /** A program wrote it, and says so at its head. */
      GENERATED("generated", "generated", ""),
      /** A document that is broken or none of its kind. */
      DAMAGED("damaged", "broken document", "s"),
      /** A document that asks for a password. */
      ENCRYPTED("encrypted", "encrypted document", "s"),
      /** A document that took too long to read. */
      SLOW("slow", "too slow to read", "");

      private final String word;
      private final String one;
      private final String plural;

      Why(String word, String one, String plural) {
        this.word = word;
        this.one = one;
        this.plural = plural;
      }

      /** Its name in JSON. */
      public String word() {
        return word;
      }

      /** Behind a count of files. */
      public String text(int count) {
        return count == 1 ? one : one + plural;
      }
    }
  }
}
