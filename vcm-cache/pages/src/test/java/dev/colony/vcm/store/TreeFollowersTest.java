package dev.colony.vcm.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.PageMapper;
import dev.colony.vcm.mapping.SourceMapping;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.source.WatchSettings;
import dev.colony.vcm.store.FollowedTrees.Followed;
import dev.colony.vcm.store.FollowedTrees.MappedTree;
import dev.colony.vcm.store.TreeFollowers.TreeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that were asked about are mapped again as they change. */
class TreeFollowersTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final Duration KEEP = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofMillis(20);

  private final Blackboards blackboards = new InMemoryBlackboards();
  private final FollowedTrees trees = new FollowedTrees(blackboards, "system", "test");
  private final PageStore store =
      new BlackboardPageStore(
          blackboards, "system", "test", StoreSettings.fromConfig(ConfigFactory.load()));
  private TreeFollowers followers;
  private Optional<String> memory = Optional.empty();

  @TempDir private Path folder;

  @BeforeEach
  void aTree() throws IOException {
    write("A.java", "final class A {}\n");
    write("B.java", "final class B {}\n");
  }

  @AfterEach
  void end() {
    followers.close();
    blackboards.close();
  }

  private static Config config(String lines) {
    return ConfigFactory.parseString(lines).withFallback(ConfigFactory.load()).resolve();
  }

  private void follow(Config config) {
    follow(config, 4, SOON);
  }

  private void follow(Config config, int most, Duration pause) {
    TreeSettings settings = new TreeSettings(most, SOON, pause, SOON, KEEP);
    followers = TreeFollowers.start(config, settings, store, trees);
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private MappedTree tree(Config config) {
    return MappedTree.of(folder, config).orElseThrow();
  }

  /** Maps it as an asker does. */
  private MappingResult.Mapped mapped(Config config) {
    return (MappingResult.Mapped) mapping(folder, config).map(SourceProgress.SILENT);
  }

  private static SourceMapping mapping(Path directory, Config config) {
    GroupingSettings grouping = GroupingSettings.fromConfig(config);
    SourceSettings reading = SourceSettings.fromConfig(config);
    return new PageMapper(grouping, reading, TokenCounter.named(grouping.tokenizer()))
        .of(new FileTreeSource(directory, reading, WatchSettings.USUAL), PageLabel.NONE);
  }

  private String ask(Config config) {
    MappingResult.Mapped mapped = mapped(config);
    store.save(mapped.map(), mapped.pages());
    ask(tree(config), mapped.map().id());
    return mapped.map().id();
  }

  private void ask(MappedTree tree, String map) {
    trees.ask(new FollowedTrees.Asked(tree, map, memory), KEEP);
  }

  private Optional<String> known(Config config) {
    return trees.followed(tree(config)).flatMap(Followed::map);
  }

  private void awaitKnown(Config config) {
    await()
        .atMost(LONGEST)
        .untilAsserted(() -> assertThat(known(config)).contains(mapped(config).map().id()));
  }

  @Test
  void whatHasChangedIsMappedAndStored() throws Exception {
    Config config = config("");
    follow(config);
    String first = ask(config);
    awaitKnown(config);
    assertThat(known(config)).contains(first);

    write("A.java", "final class A { int changed; }\n");
    awaitKnown(config);
    String second = known(config).orElseThrow();
    assertThat(second).isNotEqualTo(first);
    PageMap stored = store.map(second).orElseThrow();
    assertThat(store.pages(stored.groups().getFirst().pages()))
        .anySatisfy(page -> assertThat(page.text()).contains("int changed"));

    write("C.java", "final class C {}\n");
    awaitKnown(config);
    Files.delete(folder.resolve("B.java"));
    awaitKnown(config);
    assertThat(store.map(known(config).orElseThrow()))
        .hasValueSatisfying(map -> assertThat(map.files()).isEqualTo(2));
  }

  @Test
  void thatItHasChangedIsSaidBeforeItIsMapped() throws Exception {
    Config config = config("");
    follow(config, 4, Duration.ofDays(1));
    ask(config);
    awaitKnown(config);

    write("A.java", "final class A { int changed; }\n");
    await().atMost(LONGEST).until(() -> known(config).isEmpty());
    assertThat(trees.followed(tree(config)))
        .as("it is followed")
        .hasValueSatisfying(by -> assertThat(by.pid()).isEqualTo(ProcessHandle.current().pid()));
  }

  @Test
  void whatWasNeverTheAskersMapIsNot(@TempDir Path other) throws Exception {
    Config config = config("");
    ask(tree(config), "a".repeat(26));
    follow(config);
    await().atMost(LONGEST).until(() -> trees.followed(tree(config)).isPresent());
    // One is mapped after the other: when this one is known, that one was mapped.
    Files.writeString(other.resolve("D.java"), "final class D {}\n");
    MappedTree second = MappedTree.of(other, config).orElseThrow();
    String map =
        ((MappingResult.Mapped) mapping(other, config).map(SourceProgress.SILENT)).map().id();
    ask(second, map);
    await().atMost(LONGEST).until(() -> trees.followed(second).flatMap(Followed::map).isPresent());
    assertThat(known(config)).isEmpty();

    ask(config);
    awaitKnown(config);
  }

  @Test
  void noMoreThanMayBeAndNoneOfOtherSettings() throws Exception {
    Config config = config("");
    Config finer = config("colony.vcm.grouping.page-size-tokens = 512");
    ask(finer);
    follow(config, 1, SOON);
    ask(config);
    awaitKnown(config);
    assertThat(trees.followed(tree(finer))).as("of other settings").isEmpty();

    Path other = Files.createDirectory(folder.resolveSibling(folder.getFileName() + "-next"));
    ask(MappedTree.of(other, config).orElseThrow(), "b".repeat(26));
    await().atMost(LONGEST).until(() -> trees.followed(tree(config)).isEmpty());
  }

  /** A file that cannot be told to have changed is not read by who knows what was in it. */
  @Test
  void itGoesOnFromWhatTheAskersMappingKnew() throws Exception {
    Config config = config("");
    Instant old = Instant.now().minus(Duration.ofMinutes(1));
    Path file = folder.resolve("A.java");
    Files.setLastModifiedTime(file, FileTime.from(old));
    Files.setLastModifiedTime(folder.resolve("B.java"), FileTime.from(old));
    SourceMapping mapping = mapping(folder, config);
    MappingResult.Mapped mapped = (MappingResult.Mapped) mapping.map(SourceProgress.SILENT);
    Path kept = Files.createTempFile("memory", ".json");
    Files.writeString(
        kept, ValueMapper.write("memory", mapping.remember().orElseThrow()).toString());
    memory = Optional.of(kept.toString());
    store.save(mapped.map(), mapped.pages());
    Files.writeString(file, "final class Z {}\n");
    Files.setLastModifiedTime(file, FileTime.from(old));

    ask(tree(config), mapped.map().id());
    follow(config);
    await().atMost(LONGEST).until(() -> known(config).isPresent());
    assertThat(known(config)).contains(mapped.map().id());
    Files.delete(kept);
  }

  @Test
  void atTheEndNothingIsFollowed() {
    Config config = config("");
    follow(config);
    ask(config);
    awaitKnown(config);
    followers.close();
    assertThat(trees.followed(tree(config))).isEmpty();
  }

  @Test
  void aFileOrNothingIsNoTree() throws Exception {
    Config config = config("");
    follow(config);
    assertThat(MappedTree.of(folder.resolve("A.java"), config)).isEmpty();
    assertThat(MappedTree.of(folder.resolve("none"), config)).isEmpty();
  }
}
