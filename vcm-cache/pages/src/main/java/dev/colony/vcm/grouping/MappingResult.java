package dev.colony.vcm.grouping;

import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.source.SkippedFiles;
import java.util.List;

/** What became of mapping a source. */
public sealed interface MappingResult {

  /**
   * The source's map and all of its pages, in the order in which the map names them.
   *
   * @param skipped what of the source is on no page
   */
  record Mapped(PageMap map, List<VirtualContextPage> pages, SkippedFiles skipped)
      implements MappingResult {
    public Mapped {
      pages = List.copyOf(pages);
    }
  }

  /**
   * The source cannot be mapped.
   *
   * @param reason one line for the person who named the source
   */
  record Refused(String reason) implements MappingResult {}
}
