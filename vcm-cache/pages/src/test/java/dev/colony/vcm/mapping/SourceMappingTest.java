package dev.colony.vcm.mapping;

import static dev.colony.vcm.mapping.ChangingTree.ALL;
import static dev.colony.vcm.mapping.ChangingTree.code;
import static dev.colony.vcm.mapping.ChangingTree.large;
import static dev.colony.vcm.mapping.ChangingTree.map;
import static dev.colony.vcm.mapping.ChangingTree.mapping;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.source.CoChange;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.FileTreeSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a mapping of a source reads and gives when the source has changed. */
class SourceMappingTest {

  @Test
  void onlyWhatChangedIsReadAgain() {
    ChangingTree tree = large();
    SourceMapping mapping = mapping(tree, ALL);
    MappingResult.Mapped before = map(mapping);
    tree.read.clear();

    tree.put("d3/F4.java", code("F4", 15));
    MappingResult.Mapped after = map(mapping);

    assertThat(tree.read).containsExactly("d3/F4.java");
    Set<PageId> fresh = ids(after);
    fresh.removeAll(ids(before));
    assertThat(fresh).hasSizeBetween(1, 3);
    assertThat(after).isEqualTo(map(mapping(tree, ALL)));
  }

  @Test
  void aFileThatWasWrittenAgainWithTheSameTextChangesNothing() {
    ChangingTree tree = large();
    SourceMapping mapping = mapping(tree, ALL);
    MappingResult.Mapped before = map(mapping);

    tree.put("d3/F4.java", tree.files.get("d3/F4.java"));

    assertThat(map(mapping)).isEqualTo(before);
  }

  @Property(tries = 100)
  void mappedAgainIsMappedAnew(
      @ForAll(supplier = ChangingTree.States.class) List<Map<String, String>> states,
      @ForAll(supplier = ChangingTree.Held.class) long holdBytes) {
    ChangingTree tree = new ChangingTree();
    SourceMapping mapping = mapping(tree, holdBytes);
    for (Map<String, String> state : states) {
      tree.becomes(state);
      MappingResult again = mapping.map(SourceProgress.SILENT);
      assertThat(again).isEqualTo(mapping(tree, ALL).map(SourceProgress.SILENT));
      if (again instanceof MappingResult.Mapped mapped) {
        for (VirtualContextPage page : mapped.pages()) {
          assertThat(page.id()).isEqualTo(ContentIds.page(PageLabel.NONE, page.text()));
        }
      }
    }
  }

  @Test
  void filesThatChangeTogetherShareAPage() {
    ChangingTree tree = new ChangingTree();
    for (String name : List.of("Anchor", "Bridge", "Cable", "Deck", "Engine", "Funnel")) {
      tree.put("p/" + name + ".java", "// " + "padding ".repeat(500) + "\n" + code(name, 3));
    }
    GroupingSettings two = new GroupingSettings(1_200, 3);
    assertThat(pageOf(map(mapping(tree, ALL, two)), "p/Anchor.java"))
        .isNotEqualTo(pageOf(map(mapping(tree, ALL, two)), "p/Funnel.java"));

    Set<String> both = Set.of("p/Anchor.java", "p/Funnel.java");
    tree.coChange = CoChange.of(List.of(both, both, both, Set.of("p/Deck.java")), 10);
    assertThat(pageOf(map(mapping(tree, ALL, two)), "p/Anchor.java"))
        .isEqualTo(pageOf(map(mapping(tree, ALL, two)), "p/Funnel.java"));
  }

  @Test
  void whatAWatchTellsOfIsMappedAgain(@TempDir Path folder) throws Exception {
    for (int i = 0; i < 20; i++) {
      Files.writeString(folder.resolve("F" + i + ".txt"), ("line of " + i + "\n").repeat(20));
    }
    ContextPageSource source =
        new FileTreeSource(folder, Fixtures.sourceSettings(), Fixtures.watchSettings());
    SourceMapping mapping = mapping(source, ALL);
    MappingResult before = mapping.map(SourceProgress.SILENT);
    BlockingQueue<MappingResult> again = new LinkedBlockingQueue<>();
    SourceWatch.Listener listener =
        new SourceWatch.Listener() {
          @Override
          public void changed(Set<String> paths) {
            again.add(mapping.remap(paths, SourceProgress.SILENT));
          }

          @Override
          public void anything() {
            again.add(mapping.map(SourceProgress.SILENT));
          }
        };
    SourceWatch watch = source.watch(listener).orElseThrow();
    try {
      Files.writeString(folder.resolve("F7.txt"), "changed\n".repeat(30));
      MappingResult after = again.poll(30, TimeUnit.SECONDS);
      assertThat(after).isNotEqualTo(before);
      assertThat(after).isEqualTo(mapping(source, ALL).map(SourceProgress.SILENT));
      Files.delete(folder.resolve("F3.txt"));
      assertThat(again.poll(30, TimeUnit.SECONDS))
          .isEqualTo(mapping(source, ALL).map(SourceProgress.SILENT));
    } finally {
      watch.close();
    }
  }

  private static PageId pageOf(MappingResult.Mapped mapped, String file) {
    return mapped.pages().stream()
        .filter(page -> page.segments().stream().anyMatch(one -> one.file().equals(file)))
        .findFirst()
        .orElseThrow()
        .id();
  }

  private static Set<PageId> ids(MappingResult.Mapped mapped) {
    return mapped.pages().stream().map(VirtualContextPage::id).collect(Collectors.toSet());
  }
}
