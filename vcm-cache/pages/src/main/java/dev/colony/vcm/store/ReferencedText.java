package dev.colony.vcm.store;

import dev.colony.vcm.PageFault;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.grouping.PageText;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.FileText;
import java.util.List;
import java.util.function.Function;

/** The texts of pages that are stored by reference. Blocks for as long as a source takes. */
final class ReferencedText {

  private final Function<String, ContextPageSource> sources;

  ReferencedText(Function<String, ContextPageSource> sources) {
    this.sources = sources;
  }

  /**
   * The text of a page.
   *
   * @throws PageFault if the source no longer gives the very text that the page is named after
   */
  String read(PageId id, PageLabel label, String reference, List<PageSegment> segments) {
    ContextPageSource source = sources.apply(reference);
    return PageText.of(id, label, segments, path -> text(id, source, reference, path))
        .orElseThrow(() -> new PageFault(id, "is not in " + reference + " any more"));
  }

  private static String text(PageId id, ContextPageSource source, String reference, String path) {
    return switch (source.file(path).orElse(null)) {
      case FileText.Text text -> text.text();
      case FileText.Left left ->
          throw new PageFault(id, "cannot be read from " + path + " of " + reference);
      case null -> throw new PageFault(id, "cannot be read from " + path + " of " + reference);
    };
  }
}
