package dev.colony.vcm.mapping;

import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.FileCutter.Piece;
import dev.colony.vcm.mapping.GroupPacker.PackedPage;
import dev.colony.vcm.mapping.SourceMapping.SourceChanged;
import java.util.AbstractList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;

/**
 * Pages whose texts are put together when they are asked for, each time anew, out of files that are
 * read again where their texts are not held: as many pages as a source has take as much memory as
 * those that are in use. Immutable and thread-safe; {@link #get} may block, and throws {@link
 * SourceChanged} where a file is not what it was.
 */
public final class PageList extends AbstractList<VirtualContextPage> implements RandomAccess {

  private final List<PackedPage> pages;
  private final Lines lines;
  private final PageLabel label;

  PageList(List<PackedPage> pages, Lines lines, PageLabel label) {
    this.pages = List.copyOf(pages);
    this.lines = lines;
    this.label = label;
  }

  @Override
  public VirtualContextPage get(int index) {
    PackedPage page = pages.get(index);
    return new VirtualContextPage(
        page.known(), lines.text(page), page.sizeTokens(), page.segments(), label);
  }

  @Override
  public int size() {
    return pages.size();
  }

  /** Of the page at an index; reads nothing. */
  public PageId id(int index) {
    return pages.get(index).known();
  }

  /** Of all of them. */
  public PageLabel label() {
    return label;
  }

  /** Of the page at an index; reads nothing. */
  public List<PageSegment> segments(int index) {
    return pages.get(index).segments();
  }

  /** The lines of the files that were asked for last. */
  static final class Lines {

    private static final int FILES = 8;

    private final Map<MappedFile, FileLines> last =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<MappedFile, FileLines> eldest) {
            return size() > FILES;
          }
        };

    String text(PackedPage page) {
      StringBuilder text = new StringBuilder(4 * page.sizeTokens());
      for (Piece piece : page.pieces()) {
        text.append(PageText.of(piece.segment(), of(piece.file())));
      }
      return text.toString();
    }

    private FileLines of(MappedFile file) {
      if (file.pieces().size() == 1) {
        return file.lines();
      }
      synchronized (last) {
        FileLines known = last.get(file);
        if (known != null) {
          return known;
        }
      }
      FileLines lines = file.lines();
      synchronized (last) {
        last.put(file, lines);
      }
      return lines;
    }
  }
}
