package dev.colony.vcm.mapping;

import static dev.colony.vcm.mapping.ChangingTree.ALL;
import static dev.colony.vcm.mapping.ChangingTree.large;
import static dev.colony.vcm.mapping.ChangingTree.map;
import static dev.colony.vcm.mapping.ChangingTree.mapping;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.mapping.MappingResult.SkippedFiles;
import dev.colony.vcm.mapping.SourceMapping.SourceChanged;
import dev.colony.vcm.source.CoChange;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceReading.FileText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a mapping refuses by name, and what it leaves out. */
class RefusedMappingTest {

  @Test
  void aSourceThatChangesWhileItIsReadIsRefusedByName() {
    ChangingTree tree = large();
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
    ChangingTree tree = large();
    MappingResult.Mapped mapped = map(mapping(tree, 0));
    tree.put("d3/F4.java", "other\n");

    assertThatThrownBy(() -> List.copyOf(mapped.pages()))
        .isInstanceOf(SourceChanged.class)
        .hasMessageStartingWith("d3/F4.java: ");
  }

  @Test
  void aRefusedMappingLeavesTheOneBefore() {
    ChangingTree tree = large();
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
    ChangingTree tree = new ChangingTree().put("a", "x\n".repeat(1 << 19)).put("b", "xy\n");

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
    ChangingTree tree = new ChangingTree().put("a", "x\n").put("empty", "");
    ContextPageSource source =
        progress -> {
          List<SourceFile> files =
              new ArrayList<>(((SourceReading.Read) tree.read(progress)).files());
          files.add(new SourceFile("bin", "", () -> new FileText.Left(FileText.Why.BINARY)));
          files.add(new SourceFile("gone", "", () -> new FileText.Left(FileText.Why.UNREADABLE)));
          files.add(new SourceFile("huge", "", () -> new FileText.Left(FileText.Why.OVERSIZED)));
          return new SourceReading.Read(
              "tree",
              files,
              List.of("folder"),
              List.of("node_modules", "web/node_modules"),
              CoChange.NONE,
              Optional.empty());
        };

    SkippedFiles skipped = map(mapping(source, ALL)).skipped();
    assertThat(skipped)
        .isEqualTo(
            new SkippedFiles(
                Map.of(
                    FileText.Why.EMPTY,
                    1,
                    FileText.Why.BINARY,
                    1,
                    FileText.Why.OVERSIZED,
                    1,
                    FileText.Why.UNREADABLE,
                    2),
                List.of("node_modules", "web/node_modules"),
                List.of("folder", "gone")));
    assertThat(skipped.line())
        .contains(
            "left out 5 files, 2 folders: 1 empty, 1 binary, 1 too large, 2 unreadable (folder,"
                + " ...), 2 vendored folders (node_modules, ...)");
    assertThat(skipped.counts())
        .isEqualTo(
            Map.of("empty", 1, "binary", 1, "oversized", 1, "unreadable", 2, "vendoredFolders", 2));
    assertThat(map(mapping(tree, ALL)).skipped().line())
        .as("empty files hold nothing to tell of")
        .isEmpty();
  }

  @Test
  void whatNoCacheCanHoldIsRefusedByName() {
    ChangingTree tree = large().put("d0/Long.txt", "word ".repeat(200) + "\n");
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

  private static String refusal(ChangingTree tree, GroupingSettings settings) {
    return ((MappingResult.Refused) mapping(tree, ALL, settings).map(SourceProgress.SILENT))
        .reason();
  }
}
