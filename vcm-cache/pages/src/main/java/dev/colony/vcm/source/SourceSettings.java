package dev.colony.vcm.source;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;

/**
 * How the files of a source are read: what of it are keys is described in {@code reference.conf}.
 *
 * @param maxDocumentBytes of a document; 0 where nothing on the class path reads documents
 * @param maxLineChars of a line that is left whole; a longer one, which might be larger than a
 *     page, is read in rows
 * @param holdBytes of text that are held in memory while a source is mapped; what is beyond is read
 *     a second time when its pages are made, and refused where it has changed meanwhile
 * @param threads that read and count tokens
 */
public record SourceSettings(
    long maxFileBytes,
    long maxDocumentBytes,
    int maxLineChars,
    int maxFiles,
    long maxTotalBytes,
    long holdBytes,
    int threads) {

  /** Of the module that reads documents. */
  private static final String DOCUMENTS = "colony.vcm.documents";

  private static final int MAX_LINE_CHARS = 20_000;
  private static final long HOLD_BYTES = 64L << 20;

  @Section("colony.vcm.source")
  private record Keys(
      @Range(min = "1 B", max = "1 GiB") long maxFileBytes,
      @Range(min = "1", max = "10000000") int maxFiles,
      @Range(min = "1 B", max = "1 TiB") long maxTotalBytes) {}

  @Section(DOCUMENTS)
  private record DocumentKeys(@Range(min = "1 B", max = "1 GiB") long maxDocumentBytes) {}

  /** With a thread for each processor. */
  public static SourceSettings fromConfig(Config config) {
    Keys keys = Settings.read(Keys.class, config);
    return new SourceSettings(
        keys.maxFileBytes,
        config.hasPath(DOCUMENTS)
            ? Settings.read(DocumentKeys.class, config).maxDocumentBytes()
            : 0,
        MAX_LINE_CHARS,
        keys.maxFiles,
        keys.maxTotalBytes,
        HOLD_BYTES,
        Runtime.getRuntime().availableProcessors());
  }

  /** The same with no text held between two mappings, and one thread. */
  public SourceSettings sparing() {
    return new SourceSettings(
        maxFileBytes, maxDocumentBytes, maxLineChars, maxFiles, maxTotalBytes, 0, 1);
  }
}
