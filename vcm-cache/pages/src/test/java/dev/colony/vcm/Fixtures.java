package dev.colony.vcm;

import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.PageMapper;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.source.WatchSettings;
import dev.colony.vcm.table.TableSettings;
import dev.colony.vcm.table.TableSettings.LeaseBounds;
import java.time.Duration;
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
    return WatchSettings.USUAL;
  }

  /** Of a page table that publishes at once, and of replicas with three pages at most. */
  public static TableSettings tableSettings() {
    Duration soon = Duration.ofMillis(50);
    return new TableSettings(
        soon,
        soon,
        soon,
        soon.multipliedBy(2),
        3,
        1_000,
        200_000,
        4,
        Duration.ofSeconds(1),
        LeaseBounds.USUAL);
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
