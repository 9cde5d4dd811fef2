package dev.colony.vcm.source;

/**
 * Told how far a mapping is. Called from several threads at once, so counts may arrive unsorted.
 */
@FunctionalInterface
public interface SourceProgress {

  /** Tells no listener. */
  SourceProgress SILENT = (stage, done, total) -> {};

  /** The stages, in their order. */
  enum Stage {
    /** Files are read and their tokens counted. */
    READING,
    /** Pages are made of them. */
    PAGING
  }

  /** So many files or pages of this stage are done. */
  void at(Stage stage, int done, int total);
}
