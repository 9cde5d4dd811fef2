package dev.colony.vcm.mapping;

import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.MappingMemory.Looked;
import dev.colony.vcm.source.SourceReading.FileText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What became of mapping a source. */
public sealed interface MappingResult {

  /**
   * The source's map and all of its pages, in the order in which the map names them.
   *
   * @param pages a {@link PageList}, as a mapping gives it: its texts are read when they are asked
   *     for
   * @param skipped what of the source is on no page
   * @param reference the spec by which other processes may read the source; empty where none can
   * @param sizeBytes of the files that are on the pages
   */
  record Mapped(
      PageMap map,
      List<VirtualContextPage> pages,
      SkippedFiles skipped,
      Optional<String> reference,
      long sizeBytes)
      implements MappingResult {
    public Mapped {
      pages = pages instanceof PageList ? pages : List.copyOf(pages);
    }
  }

  /**
   * The source cannot be mapped.
   *
   * @param reason one line for the caller who named the source
   */
  record Refused(String reason) implements MappingResult {}

  /**
   * What was left out, other than what ignore rules name.
   *
   * @param binary files that are no UTF-8 text
   * @param oversized files beyond the size limit or with a line beyond its limit
   * @param unreadable files and directories that could not be read
   * @param unreadableNames the first of those, at most {@value #NAMES}
   */
  record SkippedFiles(int binary, int oversized, int unreadable, List<String> unreadableNames) {

    /** How many names are kept. */
    public static final int NAMES = 20;

    /** Nothing was left out. */
    public static final SkippedFiles NONE = new SkippedFiles(0, 0, 0, List.of());

    public SkippedFiles {
      unreadableNames = List.copyOf(unreadableNames);
    }

    /** The counts of what was looked at, and of what could not be listed. */
    static SkippedFiles of(List<String> unlisted, Collection<Looked> looked) {
      List<String> names = new ArrayList<>(unlisted);
      Map<FileText.Why, Integer> counts = new EnumMap<>(FileText.Why.class);
      for (Looked one : looked) {
        if (one instanceof Looked.Left left) {
          counts.merge(left.why(), 1, Integer::sum);
          if (left.why() == FileText.Why.UNREADABLE) {
            names.add(left.file().path());
          }
        }
      }
      names.sort(null);
      return new SkippedFiles(
          counts.getOrDefault(FileText.Why.BINARY, 0),
          counts.getOrDefault(FileText.Why.OVERSIZED, 0),
          names.size(),
          names.subList(0, Math.min(NAMES, names.size())));
    }
  }
}
