package dev.colony.vcm;

import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.grouping.PageMapper;
import dev.colony.vcm.settings.GroupingSettings;
import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.settings.TableSettings;
import dev.colony.vcm.settings.WatchSettings;
import dev.colony.vcm.source.SourceFile;
import dev.colony.vcm.source.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.tokens.TokenCounter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Sources and ids for tests. */
public final class Fixtures {

  private static final String DIGITS = "abcdefghijklmnopqrstuvwxyz234567";

  private Fixtures() {}

  public static SourceSettings sourceSettings() {
    return SourceSettings.fromConfig(ConfigFactory.load());
  }

  public static WatchSettings watchSettings() {
    return WatchSettings.fromConfig(ConfigFactory.load());
  }

  /**
   * A page table that publishes at once.
   *
   * @param others keys of {@code colony.vcm.table} that stand in place of the defaults
   */
  public static TableSettings tableSettings(String others) {
    return TableSettings.fromConfig(
        ConfigFactory.parseString("colony.vcm.table { %s }".formatted(others))
            .withFallback(
                ConfigFactory.parseString(
                    "colony.vcm.table { debounce = 50 ms, uses-debounce = 50 ms, retry-delay = 50"
                        + " ms, departed-after = 1 s }"))
            .withFallback(ConfigFactory.load())
            .resolve());
  }

  /** Maps files given by path and text. */
  public static MappingResult.Mapped map(Map<String, String> files, GroupingSettings settings) {
    return map(files, settings, PageLabel.NONE);
  }

  /** The same with pages under a label. */
  public static MappingResult.Mapped map(
      Map<String, String> files, GroupingSettings settings, PageLabel label) {
    List<SourceFile> sorted =
        files.entrySet().stream()
            .map(file -> SourceFile.of(file.getKey(), file.getValue()))
            .sorted(Comparator.comparing(SourceFile::path))
            .toList();
    return (MappingResult.Mapped)
        new PageMapper(settings, sourceSettings(), new TokenCounter())
            .of(progress -> new SourceReading.Read("test", sorted), label)
            .map(SourceProgress.SILENT);
  }

  public static PageId page(int number) {
    return new PageId(id(number));
  }

  public static PageGroupId group(int number) {
    return new PageGroupId(id(number));
  }

  private static String id(int number) {
    StringBuilder id = new StringBuilder("a".repeat(26));
    for (int i = 25, rest = number; rest > 0; i--, rest >>= 5) {
      id.setCharAt(i, DIGITS.charAt(rest & 31));
    }
    return id.toString();
  }
}
