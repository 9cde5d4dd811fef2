package dev.colony.bench.mapping;

import com.typesafe.config.Config;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.grouping.PageList;
import dev.colony.vcm.grouping.PageMapper;
import dev.colony.vcm.grouping.SourceMapping;
import dev.colony.vcm.settings.GroupingSettings;
import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.settings.WatchSettings;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.source.SourceFile;
import dev.colony.vcm.source.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.tokens.TokenCounter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Maps a tree several times, and then again and again after one file of it has changed. It works on
 * a copy of the tree, since it writes to its files. Every mapping by the mapping of the product.
 */
public final class MappingBenchmark {

  private final SourceSettings limits;
  private final WatchSettings watching;
  private final PageMapper mapper;

  public MappingBenchmark(Config config) {
    GroupingSettings grouping = GroupingSettings.fromConfig(config);
    limits = SourceSettings.fromConfig(config);
    watching = WatchSettings.fromConfig(config);
    mapper = new PageMapper(grouping, limits, TokenCounter.named(grouping.tokenizer()));
  }

  /**
   * Blocks until all is measured.
   *
   * @param copy an empty directory, which the tree is copied to
   * @param rounds mappings of the whole tree
   * @param changes of one file each
   * @param seed of which files are changed
   * @throws IllegalArgumentException if the tree cannot be mapped, with the reason
   */
  public MappingReport run(Path tree, Path copy, int rounds, int changes, long seed)
      throws IOException {
    copy(tree, copy);
    long before = used();
    List<MappingReport.Took> took = new ArrayList<>();
    SourceMapping mapping = null;
    MappingResult.Mapped mapped = null;
    for (int round = 0; round < rounds; round++) {
      long begun = System.nanoTime();
      long processor = processorNanos();
      mapping = mapper.of(new FileTreeSource(copy, limits, watching));
      mapped = mapped(mapping.map(SourceProgress.SILENT));
      took.add(
          new MappingReport.Took(
              (System.nanoTime() - begun) / 1e9, (processorNanos() - processor) / 1e9));
    }
    long held = used() - before;
    List<SourceFile> files =
        ((SourceReading.Read)
                new FileTreeSource(copy, limits, watching).read(SourceProgress.SILENT))
            .files();
    SplittableRandom random = new SplittableRandom(seed);
    Set<PageId> pages = pages(mapped);
    int changedPages = 0;
    double[] told = new double[changes];
    double[] looked = new double[changes];
    double[] toldProcessor = new double[changes];
    double[] lookedProcessor = new double[changes];
    for (int i = 0; i < 2 * changes; i++) {
      String path = change(copy, files.get(random.nextInt(files.size())).path(), i);
      long begun = System.nanoTime();
      long processor = processorNanos();
      MappingResult.Mapped again =
          mapped(
              i % 2 == 0
                  ? mapping.remap(Set.of(path), SourceProgress.SILENT)
                  : mapping.map(SourceProgress.SILENT));
      (i % 2 == 0 ? told : looked)[i / 2] = (System.nanoTime() - begun) / 1e6;
      (i % 2 == 0 ? toldProcessor : lookedProcessor)[i / 2] = (processorNanos() - processor) / 1e6;
      Set<PageId> now = pages(again);
      Set<PageId> fresh = new HashSet<>(now);
      fresh.removeAll(pages);
      changedPages += fresh.size();
      pages = now;
    }
    return new MappingReport(
        mapped.map().files(),
        mapped.sizeBytes(),
        lines(mapped),
        mapped.map().pages(),
        took,
        times(told, toldProcessor),
        times(looked, lookedProcessor),
        changedPages,
        held);
  }

  private static MappingResult.Mapped mapped(MappingResult result) {
    return switch (result) {
      case MappingResult.Mapped mapped -> mapped;
      case MappingResult.Refused refused -> throw new IllegalArgumentException(refused.reason());
    };
  }

  private static Set<PageId> pages(MappingResult.Mapped mapped) {
    Set<PageId> pages = new HashSet<>();
    for (PageGroup group : mapped.map().groups()) {
      pages.addAll(group.pages());
    }
    return pages;
  }

  private static long lines(MappingResult.Mapped mapped) {
    long lines = 0;
    PageList pages = (PageList) mapped.pages();
    for (int i = 0; i < pages.size(); i++) {
      lines +=
          pages.segments(i).stream()
              .mapToLong(segment -> segment.lastLine() - segment.firstLine() + 1L)
              .sum();
    }
    return lines;
  }

  /** Appends a line; the file's time is of an hour ago, as if nothing were written right now. */
  private static String change(Path copy, String path, int number) throws IOException {
    Path file = copy.resolve(path);
    Files.writeString(file, "// change " + number + "\n", StandardOpenOption.APPEND);
    setBack(file, number);
    return path;
  }

  private static void setBack(Path file, int number) throws IOException {
    FileTime written = Files.getLastModifiedTime(file);
    Files.setLastModifiedTime(
        file, FileTime.from(written.toInstant().minusSeconds(3600L - number)));
  }

  private static void copy(Path tree, Path copy) throws IOException {
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(copy.resolve(tree.relativize(at).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              Path to = copy.resolve(tree.relativize(file).toString());
              Files.copy(file, to);
              setBack(to, 0);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static MappingReport.Times times(double[] millis, double[] processorMillis) {
    double[] sorted = millis.clone();
    Arrays.sort(sorted);
    double[] processor = processorMillis.clone();
    Arrays.sort(processor);
    return new MappingReport.Times(
        sorted[sorted.length / 2], sorted[sorted.length - 1], processor[processor.length / 2]);
  }

  /** Of all threads of the process, the collector's included. */
  private static long processorNanos() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }

  private static long used() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
