package dev.colony.vcm.grouping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.settings.GroupingSettings;
import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.source.CoChange;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.FileText;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.source.SourceFile;
import dev.colony.vcm.source.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceWatch;
import dev.colony.vcm.tokens.TokenCounter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceMappingTest {

  private static final GroupingSettings SETTINGS = new GroupingSettings(160, 3);
  private static final long ALL = 1 << 20;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** A tree in memory whose files can be changed, and that counts how often each is read. */
  private static final class Tree implements ContextPageSource {
    private final Map<String, String> files = new TreeMap<>();
    private final Map<String, Integer> versions = new TreeMap<>();
    private final List<String> read = Collections.synchronizedList(new ArrayList<>());
    private CoChange coChange = CoChange.NONE;

    Tree put(String path, String text) {
      files.put(path, text);
      versions.merge(path, 1, Integer::sum);
      return this;
    }

    @Override
    public SourceReading read(SourceProgress progress) {
      return new SourceReading.Read(
          "tree",
          files.keySet().stream()
              .map(path -> new SourceFile(path, "v" + versions.get(path), () -> text(path)))
              .toList(),
          List.of(),
          coChange,
          Optional.of("tree:"));
    }

    @Override
    public Optional<FileText> file(String path) {
      return Optional.of(text(path));
    }

    private FileText text(String path) {
      read.add(path);
      String text = files.get(path);
      return text == null
          ? new FileText.Left(FileText.Why.UNREADABLE)
          : text.isEmpty()
              ? new FileText.Left(FileText.Why.EMPTY)
              : new FileText.Text(text, text.length());
    }
  }

  private static SourceMapping mapping(ContextPageSource source, long holdBytes) {
    return mapping(source, holdBytes, SETTINGS);
  }

  private static SourceMapping mapping(
      ContextPageSource source, long holdBytes, GroupingSettings settings) {
    return new PageMapper(
            settings,
            new SourceSettings(1 << 20, 1 << 20, 1000, 1 << 20, holdBytes, 2),
            new TokenCounter())
        .of(source);
  }

  private static MappingResult.Mapped map(SourceMapping mapping) {
    return (MappingResult.Mapped) mapping.map(SourceProgress.SILENT);
  }

  private static Tree large() {
    Tree tree = new Tree();
    for (int directory = 0; directory < 6; directory++) {
      for (int file = 0; file < 6; file++) {
        tree.put("d" + directory + "/F" + file + ".java", code("F" + file, 10 + file));
      }
    }
    return tree;
  }

  private static String code(String name, int lines) {
    return "class "
        + name
        + " {\n"
        + IntStream.range(0, lines)
            .mapToObj(i -> "  int field" + i + " = " + i + ";\n")
            .collect(Collectors.joining())
        + "}\n";
  }

  @Test
  void onlyWhatChangedIsReadAgain() {
    Tree tree = large();
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
    Tree tree = large();
    SourceMapping mapping = mapping(tree, ALL);
    MappingResult.Mapped before = map(mapping);

    tree.put("d3/F4.java", tree.files.get("d3/F4.java"));

    assertThat(map(mapping)).isEqualTo(before);
  }

  @Property(tries = 100)
  void mappedAgainIsMappedAnew(
      @ForAll("trees") List<Map<String, String>> states, @ForAll("held") long holdBytes) {
    Tree tree = new Tree();
    SourceMapping mapping = mapping(tree, holdBytes);
    for (Map<String, String> state : states) {
      tree.files.keySet().removeIf(path -> !state.containsKey(path));
      state.forEach((path, text) -> {
        if (!text.equals(tree.files.get(path))) {
          tree.put(path, text);
        }
      });
      MappingResult again = mapping.map(SourceProgress.SILENT);
      assertThat(again).isEqualTo(mapping(tree, ALL).map(SourceProgress.SILENT));
      if (again instanceof MappingResult.Mapped mapped) {
        for (VirtualContextPage page : mapped.pages()) {
          assertThat(page.id()).isEqualTo(ContentIds.page(PageLabel.NONE, page.text()));
        }
      }
    }
  }

  private static MappingMemory stored(SourceMapping mapping) {
    // As it comes back from a file.
    JsonNode json = JSON.valueToTree(mapping.remember().orElseThrow());
    try {
      return JSON.readValue(json.toString(), MappingMemory.class);
    } catch (JsonProcessingException bad) {
      throw new AssertionError(bad);
    }
  }

  @Test
  void anotherProcessReadsOnlyWhatChangedSince() {
    Tree tree = large();
    tree.put("d1/empty.txt", "");
    SourceMapping first = mapping(tree, 0);
    MappingResult.Mapped before = map(first);
    MappingMemory memory = stored(first);
    assertThat(memory.map()).isEqualTo(before.map().id());
    tree.read.clear();

    SourceMapping second = mapping(tree, 0);
    assertThat(second.recall(memory)).isTrue();
    assertThat(map(second).map()).isEqualTo(before.map());
    assertThat(tree.read).as("nothing has changed").isEmpty();
    assertThat(map(second)).as("texts are read when they are asked for").isEqualTo(before);

    tree.put("d3/F4.java", code("F4", 15));
    tree.read.clear();
    SourceMapping third = mapping(tree, 0);
    third.recall(stored(second));
    MappingResult.Mapped after = map(third);
    assertThat(Set.copyOf(tree.read)).isSubsetOf(pagesWith("d3/F4.java", after));
    assertThat(tree.read).contains("d3/F4.java");
    assertThat(after).isEqualTo(map(mapping(tree, ALL)));
  }

  private static Set<String> pagesWith(String path, MappingResult.Mapped mapped) {
    return mapped.pages().stream()
        .map(page -> page.segments().stream().map(PageSegment::file).collect(Collectors.toSet()))
        .filter(files -> files.contains(path))
        .flatMap(Set::stream)
        .collect(Collectors.toSet());
  }

  @Test
  void aMemoryOfOtherSettingsOrOneThatIsDamagedIsOfNoUse() {
    Tree tree = large();
    SourceMapping first = mapping(tree, ALL);
    assertThat(first.remember()).isEmpty();
    MappingResult.Mapped before = map(first);
    MappingMemory memory = stored(first);

    assertThat(mapping(tree, ALL, new GroupingSettings(200, 3)).recall(memory)).isFalse();
    MappingMemory damaged =
        new MappingMemory(
            memory.settings(),
            memory.map(),
            memory.files().subList(0, 2),
            memory.left(),
            memory.pages());
    SourceMapping second = mapping(tree, ALL);
    assertThat(second.recall(damaged)).isFalse();
    assertThat(map(second)).isEqualTo(before);
  }

  @Property(tries = 100)
  void recalledIsMappedAnew(
      @ForAll("trees") List<Map<String, String>> states, @ForAll("held") long holdBytes) {
    Tree tree = new Tree();
    Optional<MappingMemory> memory = Optional.empty();
    for (Map<String, String> state : states) {
      tree.files.keySet().removeIf(path -> !state.containsKey(path));
      state.forEach((path, text) -> {
        if (!text.equals(tree.files.get(path))) {
          tree.put(path, text);
        }
      });
      SourceMapping mapping = mapping(tree, holdBytes);
      memory.ifPresent(known -> assertThat(mapping.recall(known)).isTrue());
      MappingResult again = mapping.map(SourceProgress.SILENT);
      assertThat(again).isEqualTo(mapping(tree, ALL).map(SourceProgress.SILENT));
      if (again instanceof MappingResult.Mapped) {
        memory = Optional.of(stored(mapping));
      }
    }
  }

  @Provide
  Arbitrary<Long> held() {
    return Arbitraries.of(0L, 300L, ALL);
  }

  @Provide
  Arbitrary<List<Map<String, String>>> trees() {
    Arbitrary<String> path =
        Combinators.combine(
                Arbitraries.of("", "a/", "a/b/", "src/main/java/", "src/test/java/"),
                Arbitraries.of("Foo", "FooTest", "Bar", "Baz", "Deep"))
            .as((folder, name) -> folder + name + ".java");
    Arbitrary<String> text =
        Arbitraries.of("import Foo;\n", "Bar x;\n", "}\n", "\n", "  return Baz.of(y);\n")
            .list()
            .ofMaxSize(40)
            .map(lines -> String.join("", lines));
    return Arbitraries.maps(path, text).ofMinSize(1).ofMaxSize(8).list().ofMinSize(2).ofMaxSize(4);
  }

  @Test
  void aSourceThatChangesWhileItIsReadIsRefusedByName() {
    Tree tree = large();
    ContextPageSource changing =
        progress -> {
          SourceReading.Read read = (SourceReading.Read) tree.read(progress);
          return new SourceReading.Read(
              read.label(),
              read.files().stream()
                  .map(file ->
                      file.path().equals("d3/F4.java")
                          ? new SourceFile(
                              file.path(),
                              file.stamp(),
                              () -> {
                                FileText text = file.content().get();
                                tree.put(file.path(), tree.files.get(file.path()) + "// more\n");
                                return text;
                              })
                          : file)
                  .toList());
        };

    assertThat(mapping(changing, 0).map(SourceProgress.SILENT))
        .isInstanceOfSatisfying(
            MappingResult.Refused.class,
            refused ->
                assertThat(refused.reason())
                    .isEqualTo(
                        "tree: d3/F4.java: the source changed while it was read: map it again"));
    assertThat(mapping(changing, ALL).map(SourceProgress.SILENT))
        .as("held, it is read once")
        .isInstanceOf(MappingResult.Mapped.class);
  }

  @Test
  void aPageOfAFileThatChangedAfterwardsIsRefusedByName() {
    Tree tree = large();
    MappingResult.Mapped mapped = map(mapping(tree, 0));
    tree.put("d3/F4.java", "other\n");

    assertThatThrownBy(() -> List.copyOf(mapped.pages()))
        .isInstanceOf(SourceChanged.class)
        .hasMessageStartingWith("d3/F4.java: ");
  }

  @Test
  void aRefusedMappingLeavesTheOneBefore() {
    Tree tree = large();
    SourceMapping mapping = mapping(tree, ALL);
    MappingResult.Mapped before = map(mapping);
    Map<String, String> files = new TreeMap<>(tree.files);
    tree.files.clear();
    assertThat(mapping.map(SourceProgress.SILENT))
        .isEqualTo(new MappingResult.Refused("tree: holds no text files"));

    tree.files.putAll(files);
    tree.read.clear();
    assertThat(map(mapping)).isEqualTo(before);
    assertThat(tree.read).isEmpty();
  }

  @Test
  void moreTextThanMayBeIsRefused() {
    Tree tree = new Tree().put("a", "x\n".repeat(1 << 19)).put("b", "xy\n");

    assertThat(mapping(tree, 0).map(SourceProgress.SILENT))
        .isInstanceOfSatisfying(
            MappingResult.Refused.class,
            refused ->
                assertThat(refused.reason())
                    .startsWith("tree: holds more than 1048576 bytes of text")
                    .contains("colony.vcm.source.max-total-bytes"));
  }

  @Test
  void whatIsLeftOutIsCountedAndNamed() {
    Tree tree = new Tree().put("a", "x\n").put("empty", "");
    ContextPageSource source =
        progress -> {
          List<SourceFile> files =
              new ArrayList<>(((SourceReading.Read) tree.read(progress)).files());
          files.add(new SourceFile("bin", "", () -> new FileText.Left(FileText.Why.BINARY)));
          files.add(new SourceFile("gone", "", () -> new FileText.Left(FileText.Why.UNREADABLE)));
          files.add(new SourceFile("huge", "", () -> new FileText.Left(FileText.Why.OVERSIZED)));
          return new SourceReading.Read(
              "tree", files, List.of("folder"), CoChange.NONE, Optional.empty());
        };

    assertThat(map(mapping(source, ALL)).skipped())
        .isEqualTo(new SkippedFiles(1, 1, 2, List.of("folder", "gone")));
  }

  @Test
  void filesThatChangeTogetherShareAPage() {
    Tree tree = new Tree();
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
  void whatNoCacheCanHoldIsRefusedByName() {
    Tree tree = large().put("d0/Long.txt", "word ".repeat(200) + "\n");
    assertThat(
            refusal(tree, new GroupingSettings(160, 3, "o200k_base", PageGroup.Kind.ADVISORY, 160)))
        .matches(
            "tree: page [a-z2-7]{26} with d0/Long.txt has \\d+ tokens, more than the 160 of"
                + " colony.vcm.grouping.cache-tokens that the largest cache holds");
    assertThat(
            refusal(
                large(), new GroupingSettings(160, 3, "o200k_base", PageGroup.Kind.MANDATORY, 200)))
        .matches(
            "tree: the mandatory group [a-z2-7]{26} of .* has \\d+ tokens, more than the 200 .*");
    assertThat(
            mapping(
                    large(),
                    ALL,
                    new GroupingSettings(160, 3, "o200k_base", PageGroup.Kind.ADVISORY, 200))
                .map(SourceProgress.SILENT))
        .isInstanceOf(MappingResult.Mapped.class);
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

  private static String refusal(Tree tree, GroupingSettings settings) {
    return ((MappingResult.Refused) mapping(tree, ALL, settings).map(SourceProgress.SILENT))
        .reason();
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
