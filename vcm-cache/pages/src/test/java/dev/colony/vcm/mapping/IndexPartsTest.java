package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.Term;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexPartsTest {

  private static final int PAGES = 200;
  private static final int LINES = 60;

  @TempDir private Path folder;

  private final List<VirtualContextPage> pages = new ArrayList<>();

  IndexPartsTest() {
    for (int i = 0; i < PAGES; i++) {
      pages.add(page("f%d.txt".formatted(i), "word%d common\n".formatted(i)));
    }
  }

  private static VirtualContextPage page(String file, String line) {
    String text = "=== %s (lines 1-1)\n%s".formatted(file, line);
    return new VirtualContextPage(
        new PageId(ContentIds.text(text)), text, 10, List.of(new PageSegment(file, 1, 1)));
  }

  @Test
  void anotherProcessTakesWhatOneHasMade() throws IOException {
    made();
    Set<Path> kept = kept();
    for (Path part : kept) {
      Files.setLastModifiedTime(part, FileTime.fromMillis(1));
    }

    IndexReader again = made();

    assertThat(kept).hasSizeGreaterThan(4);
    assertThat(kept()).isEqualTo(kept);
    // What is taken counts as used.
    assertThat(kept).allMatch(part -> part.toFile().lastModified() > 1);
    assertThat(again.numDocs()).isEqualTo(PAGES);
    assertThat(again.docFreq(new Term(Passages.BODY, "word7"))).isEqualTo(1);
  }

  @Test
  void aChangedPageHasTwoPartsMadeAnewAtMost() throws IOException {
    IndexReader before = made();
    Set<Path> kept = kept();
    pages.set(7, page("f7.txt", "elephant\n"));

    IndexReader after = made();

    Set<Path> fresh = new HashSet<>(kept());
    fresh.removeAll(kept);
    assertThat(fresh).hasSizeBetween(1, 2);
    assertThat(before.docFreq(new Term(Passages.BODY, "word7"))).isEqualTo(1);
    assertThat(after.docFreq(new Term(Passages.BODY, "word7"))).isZero();
    assertThat(after.docFreq(new Term(Passages.BODY, "eleph"))).isEqualTo(1);
    assertThat(after.numDocs()).isEqualTo(PAGES);
  }

  @Test
  void indexesOfOneProcessShareTheirParts() throws IOException {
    IndexParts parts = new IndexParts(Optional.empty());
    IndexReader before = parts.of(pages, 2, LINES);
    pages.set(7, page("f7.txt", "elephant\n"));

    IndexReader after = parts.of(pages, 2, LINES);

    Set<Object> shared = new HashSet<>();
    before.leaves().forEach(leaf -> shared.add(leaf.reader()));
    assertThat(after.leaves().stream().filter(leaf -> !shared.contains(leaf.reader())).count())
        .isBetween(1L, 2L);
  }

  @Test
  void thePageOfAnIdIsAnotherWhereItsTextIs() throws IOException {
    IndexParts parts = new IndexParts(Optional.empty());
    IndexReader before = parts.of(pages, 1, LINES);
    VirtualContextPage one = pages.get(7);
    pages.set(
        7,
        new VirtualContextPage(
            one.id(), one.text().replace("word7", "elephant"), 10, one.segments()));

    IndexReader after = parts.of(pages, 1, LINES);

    assertThat(before.docFreq(new Term(Passages.BODY, "word7"))).isEqualTo(1);
    assertThat(after.docFreq(new Term(Passages.BODY, "word7"))).isZero();
  }

  @Test
  void whatIsDamagedIsMadeAnew() throws IOException {
    made();
    for (Path part : kept()) {
      try (Stream<Path> files = Files.list(part)) {
        for (Path file : files.toList()) {
          byte[] bytes = Files.readAllBytes(file);
          bytes[bytes.length / 2] ^= 0x55;
          Files.write(file, bytes);
        }
      }
    }

    IndexReader again = made();

    assertThat(again.numDocs()).isEqualTo(PAGES);
    assertThat(again.docFreq(new Term(Passages.BODY, "common"))).isEqualTo(PAGES);
  }

  @Test
  void whatCannotBeKeptIsIndexedAllTheSame() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");

    IndexReader index = new IndexParts(Optional.of(file.resolve("in"))).of(pages, 1, LINES);

    assertThat(index.numDocs()).isEqualTo(PAGES);
  }

  /** As a process does that has nothing in memory. */
  private IndexReader made() throws IOException {
    return new IndexParts(Optional.of(folder.resolve("in"))).of(pages, 2, LINES);
  }

  private Set<Path> kept() throws IOException {
    try (Stream<Path> parts = Files.list(folder.resolve("in"))) {
      return Set.copyOf(parts.toList());
    }
  }
}
