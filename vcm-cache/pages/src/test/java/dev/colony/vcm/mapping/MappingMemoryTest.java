package dev.colony.vcm.mapping;

import static dev.colony.vcm.mapping.ChangingTree.ALL;
import static dev.colony.vcm.mapping.ChangingTree.code;
import static dev.colony.vcm.mapping.ChangingTree.large;
import static dev.colony.vcm.mapping.ChangingTree.map;
import static dev.colony.vcm.mapping.ChangingTree.mapping;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What a mapping remembers for another process. */
class MappingMemoryTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

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
    ChangingTree tree = large();
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
    ChangingTree tree = large();
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
      @ForAll(supplier = ChangingTree.States.class) List<Map<String, String>> states,
      @ForAll(supplier = ChangingTree.Held.class) long holdBytes) {
    ChangingTree tree = new ChangingTree();
    Optional<MappingMemory> memory = Optional.empty();
    for (Map<String, String> state : states) {
      tree.becomes(state);
      SourceMapping mapping = mapping(tree, holdBytes);
      memory.ifPresent(known -> assertThat(mapping.recall(known)).isTrue());
      MappingResult again = mapping.map(SourceProgress.SILENT);
      assertThat(again).isEqualTo(mapping(tree, ALL).map(SourceProgress.SILENT));
      if (again instanceof MappingResult.Mapped) {
        memory = Optional.of(stored(mapping));
      }
    }
  }
}
