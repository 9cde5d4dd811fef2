package dev.colony.vcm.source;

import java.util.Optional;
import java.util.Set;

/** Something that text to be paged can be read from. Thread-safe. */
@FunctionalInterface
public interface ContextPageSource {

  /**
   * Looks all of it through. Blocks; equal content gives equal files, in the same order.
   *
   * @param progress is called from several threads
   */
  SourceReading read(SourceProgress progress);

  /**
   * Looks through what may have changed since it was read, which is all of it where the source
   * cannot tell more closely. Blocks.
   *
   * @param before what was read then
   * @param changed paths that {@link #watch} told of; others are taken to be as they were
   */
  default SourceReading reread(
      SourceReading.Read before, Set<String> changed, SourceProgress progress) {
    return read(progress);
  }

  /**
   * Reads one file of the state that this source names. Blocks; empty where a source has no files
   * to be read by name.
   *
   * @param path as {@link SourceFile#path} gives it
   */
  default Optional<FileText> file(String path) {
    return Optional.empty();
  }

  /**
   * Tells when it may have changed, until closed; empty where a source does not change, or cannot
   * tell.
   *
   * @param listener is called on a thread of the watch, which it may block
   */
  default Optional<SourceWatch> watch(SourceWatch.Listener listener) {
    return Optional.empty();
  }

  /**
   * A source that cannot be read.
   *
   * @param reason one line for the caller who named it
   */
  static ContextPageSource refused(String reason) {
    return progress -> new SourceReading.Refused(reason);
  }
}
