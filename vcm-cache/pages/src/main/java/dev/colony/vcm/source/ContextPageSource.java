package dev.colony.vcm.source;

/** Something that text to be paged can be read from. */
public interface ContextPageSource {

  /**
   * Reads all of it. Blocks; equal content gives equal results, in the same order.
   *
   * @param progress is called from several threads
   */
  SourceReading read(SourceProgress progress);
}
