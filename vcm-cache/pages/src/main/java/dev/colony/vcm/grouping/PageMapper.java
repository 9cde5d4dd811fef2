package dev.colony.vcm.grouping;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.settings.GroupingSettings;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.SourceFile;
import dev.colony.vcm.source.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.tokens.TokenCounter;
import dev.colony.vcm.work.Parallel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Maps a source: reads it, cuts its files into pages of related files, gathers those into groups.
 *
 * <p>Every line of every file is on exactly one page; {@link PageText} gives them back. Page sizes
 * are exact counts. No page is larger than the target except where one line alone is. Equal sources
 * give equal maps. Thread-safe; costs about 0.1 s of processor time per MB of text, most of it
 * counting tokens, spread over the given number of threads.
 */
public final class PageMapper {

  private final GroupingSettings settings;
  private final int threads;
  private final TokenCounter counter;

  public PageMapper(GroupingSettings settings, int threads, TokenCounter counter) {
    this.settings = settings;
    this.threads = threads;
    this.counter = counter;
  }

  /**
   * Blocks until the source is mapped; nothing is stored.
   *
   * @param progress is called from several threads
   */
  public MappingResult map(ContextPageSource source, SourceProgress progress) {
    return switch (source.read(progress)) {
      case SourceReading.Refused refused -> new MappingResult.Refused(refused.reason());
      case SourceReading.Read read -> map(read, progress);
    };
  }

  private MappingResult.Mapped map(SourceReading.Read read, SourceProgress progress) {
    List<SourceFile> files = read.files();
    FileCutter cutter = new FileCutter(settings.pageSizeTokens(), counter);
    AtomicInteger done = new AtomicInteger();
    Map<String, List<Piece>> cut = new HashMap<>();
    Parallel.map(
            threads,
            files,
            file -> {
              List<Piece> pieces = cutter.cut(file);
              progress.at(SourceProgress.Stage.COUNTING, done.incrementAndGet(), files.size());
              return pieces;
            })
        .forEach(pieces -> cut.put(pieces.getFirst().segment().file(), pieces));
    List<Piece> ordered =
        ReadingOrder.of(files, threads).stream()
            .flatMap(place -> cut.get(place.path()).stream().map(piece -> piece.at(place)))
            .toList();
    List<PackedPage> packed = PagePacker.pack(ordered, settings.pageSizeTokens());
    List<PageGroup> groups = GroupPacker.pack(packed, settings.pagesPerGroup());
    List<VirtualContextPage> pages = packed.stream().map(PackedPage::page).toList();
    PageMap map = new PageMap(ContentIds.map(groups), read.label(), groups, files.size());
    return new MappingResult.Mapped(map, pages, read.skipped());
  }

  /** Packs pieces, in their order, into pages. */
  private static final class PagePacker {

    private PagePacker() {}

    static List<PackedPage> pack(List<Piece> pieces, int pageSizeTokens) {
      int[] sizes = pieces.stream().mapToInt(Piece::sizeTokens).toArray();
      return Cuts.cut(
              sizes,
              pageSizeTokens,
              next -> Tie.looseness(pieces.get(next - 1).place(), pieces.get(next).place()))
          .stream()
          .map(run -> page(pieces.subList(run.from(), run.to())))
          .toList();
    }

    private static PackedPage page(List<Piece> pieces) {
      String text = pieces.stream().map(Piece::text).collect(Collectors.joining());
      // No token of the vocabulary spans a line feed and the mark of a header, so sizes add up.
      int sizeTokens = pieces.stream().mapToInt(Piece::sizeTokens).sum();
      return new PackedPage(
          new VirtualContextPage(
              ContentIds.page(text),
              text,
              sizeTokens,
              pieces.stream().map(Piece::segment).toList()),
          pieces.getFirst().place(),
          pieces.getLast().place());
    }
  }
}
