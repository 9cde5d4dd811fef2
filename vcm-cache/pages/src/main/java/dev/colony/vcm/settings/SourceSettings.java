package dev.colony.vcm.settings;

import com.typesafe.config.Config;

/**
 * How much of a source is read; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 *
 * @param parallelism threads; 0 means one per processor
 */
public record SourceSettings(
    long maxFileBytes,
    int maxLineChars,
    int maxFiles,
    long maxTotalBytes,
    long holdBytes,
    int parallelism) {

  private static final String PATH = "colony.vcm.source.";

  public SourceSettings {
    SettingRange.check(PATH + "max-file-bytes", maxFileBytes, 1, 1L << 30);
    SettingRange.check(PATH + "max-line-chars", maxLineChars, 1, 1 << 24);
    SettingRange.check(PATH + "max-files", maxFiles, 1, 10_000_000);
    SettingRange.check(PATH + "max-total-bytes", maxTotalBytes, 1, 1L << 40);
    SettingRange.check(PATH + "hold-bytes", holdBytes, 0, 1L << 40);
    SettingRange.check(PATH + "parallelism", parallelism, 0, 256);
  }

  public static SourceSettings fromConfig(Config config) {
    return new SourceSettings(
        config.getBytes(PATH + "max-file-bytes"),
        config.getInt(PATH + "max-line-chars"),
        config.getInt(PATH + "max-files"),
        config.getBytes(PATH + "max-total-bytes"),
        config.getBytes(PATH + "hold-bytes"),
        config.getInt(PATH + "parallelism"));
  }

  /** How many threads that is on this machine. */
  public int threads() {
    return parallelism == 0 ? Runtime.getRuntime().availableProcessors() : parallelism;
  }
}
