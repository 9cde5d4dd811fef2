package dev.colony.vcm.source;

/** What reading one file of a source gave. */
public sealed interface FileText {

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
