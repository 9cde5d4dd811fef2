package dev.colony.vcm.grouping;

import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import java.util.List;
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
}
