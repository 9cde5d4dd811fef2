package dev.colony.vcm.source;

import dev.colony.vcm.source.SourceReading.FileText;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

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

  /**
   * One file of a source, whose text is read when it is asked for.
   *
   * @param path relative to the source's root, with forward slashes, without control characters
   * @param stamp changes whenever the content does: two files of one path and one stamp have one
   *     content; empty where only the content itself can tell
   * @param content reads it, each time anew; blocks, from several threads at once
   */
  record SourceFile(String path, String stamp, Supplier<FileText> content) {

    /** A file whose text is in memory. */
    public static SourceFile of(String path, String text) {
      FileText.Text content = new FileText.Text(text, text.length());
      return new SourceFile(path, "", () -> content);
    }
  }

  /**
   * Told how far a mapping is. Called from several threads at once, so counts may arrive unsorted.
   */
  @FunctionalInterface
  interface SourceProgress {

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

  /** Tells of changes of a source until it is closed. */
  interface SourceWatch extends AutoCloseable {

    /** Is told of changes, one call after the other. */
    interface Listener {

      /** Something has changed just now; one of the others follows when it has been quiet. */
      default void stirred() {}

      /** These files may have changed, come or gone. */
      void changed(Set<String> paths);

      /** Anything may have changed. */
      void anything();
    }

    /** Whether each change is told of at once, and not only when the source is looked through. */
    default boolean prompt() {
      return true;
    }

    /** Waits until no call of the listener is under way. Does nothing the second time. */
    @Override
    void close();
  }
}
