package dev.colony.vcm.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.PageStore.PageFault;
import dev.colony.vcm.PageStore.PageRefused;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.PageMapper;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.schedule.Clearances;
import dev.colony.vcm.schedule.Sensitivity;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.FileTreeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a page store does, over any backend. */
abstract class PageStoreContract {

  private final String tenant = "test-" + UUID.randomUUID();

  abstract Blackboards blackboards();

  @Test
  void givesBackWhatWasSaved() {
    MappingResult.Mapped mapped = mapped("x");
    store().save(mapped.map(), mapped.pages());

    PageStore other = store();
    assertThat(other.map(mapped.map().id())).contains(mapped.map());
    List<PageId> ids = new ArrayList<>(mapped.pages().stream().map(p -> p.id()).toList());
    Collections.reverse(ids);
    ids.add(ids.getFirst());
    List<VirtualContextPage> pages = other.pages(ids);
    assertThat(pages).extracting(VirtualContextPage::id).isEqualTo(ids);
    assertThat(pages).containsAll(mapped.pages());
    assertThat(other.pages(ids)).isEqualTo(pages);
  }

  @Test
  void aGroupIsFoundByItsIdAlone() {
    MappingResult.Mapped mapped = mapped("x");
    store().save(mapped.map(), mapped.pages());

    for (PageGroup group : mapped.map().groups()) {
      assertThat(store().group(group.id())).contains(group);
    }
    PageGroupId other = new PageGroupId("a".repeat(26));
    assertThat(store().group(other)).isEmpty();
  }

  @Test
  void savingAgainWritesNothing() {
    MappingResult.Mapped mapped = mapped("x");
    store().save(mapped.map(), mapped.pages());
    store().save(mapped.map(), mapped.pages());

    int groups = mapped.map().groups().size();
    assertThat(versions()).hasSize(mapped.pages().size() + groups + 1).containsOnly(1L);
  }

  @Test
  void savingAChangedSourceWritesItsNewPagesOnly() {
    MappingResult.Mapped before = mapped("x");
    MappingResult.Mapped after = mapped("y");
    store().save(before.map(), before.pages());
    store().save(after.map(), after.pages());

    List<VirtualContextPage> fresh = new ArrayList<>(after.pages());
    fresh.removeAll(before.pages());
    assertThat(fresh).hasSizeLessThan(before.pages().size());
    Set<PageGroup> groups = new HashSet<>(before.map().groups());
    groups.addAll(after.map().groups());
    assertThat(versions())
        .hasSize(before.pages().size() + fresh.size() + groups.size() + 2)
        .containsOnly(1L);
  }

  @Test
  void aPageThatIsNotStoredIsAFault() {
    MappingResult.Mapped mapped = mapped("x");
    store().save(mapped.map(), mapped.pages());
    List<PageId> ids = List.of(mapped.pages().getFirst().id(), Fixtures.page(7));

    assertThatThrownBy(() -> store().pages(ids))
        .isInstanceOf(PageFault.class)
        .hasMessageContaining(Fixtures.page(7).value());
    assertThat(store().map("none")).isEmpty();
    assertThat(store().pages(List.of())).isEmpty();
  }

  @Test
  void everyLineFindsItsPageAndEveryPageItsLines() {
    MappingResult.Mapped before = mapped("x");
    MappingResult.Mapped after = mapped("y");
    store().save(before.map(), before.pages());
    store()
        .save(
            after.map(),
            after.pages(),
            new PageStore.SaveOptions(Optional.of(before.map()), Optional.empty()));

    for (MappingResult.Mapped mapped : List.of(before, after)) {
      PageLines lines = store().lines(mapped.map());
      for (VirtualContextPage page : mapped.pages()) {
        assertThat(lines.lines(page.id())).isEqualTo(page.segments());
        for (PageSegment segment : page.segments()) {
          for (int line = segment.firstLine(); line <= segment.lastLine(); line++) {
            assertThat(lines.page(segment.file(), line)).contains(page.id());
          }
          assertThat(lines.pages(segment.file())).contains(page.id());
        }
      }
      assertThat(lines.page("d0/F0.txt", 0)).isEmpty();
      assertThat(lines.page("d0/F0.txt", 31)).isEmpty();
      assertThat(lines.page("none", 1)).isEmpty();
      assertThat(lines.files()).hasSize(12);
      List<PageId> ids = mapped.pages().stream().map(VirtualContextPage::id).toList();
      assertThat(store().pages(ids)).isEqualTo(mapped.pages());
    }
  }

  @Test
  void aSourceByReferenceIsReadFromThere(@TempDir Path tree) throws IOException {
    for (int i = 0; i < 6; i++) {
      Files.writeString(tree.resolve("F" + i + ".txt"), ("line of " + i + " über\n").repeat(30));
    }
    MappingResult.Mapped mapped =
        (MappingResult.Mapped)
            new PageMapper(
                    new GroupingSettings(400, 2), Fixtures.sourceSettings(), new TokenCounter())
                .map(
                    new FileTreeSource(tree, Fixtures.sourceSettings(), Fixtures.watchSettings()),
                    SourceProgress.SILENT);
    store()
        .save(
            mapped.map(),
            mapped.pages(),
            new PageStore.SaveOptions(Optional.empty(), mapped.reference()));
    List<VirtualContextPage> pages = List.copyOf(mapped.pages());
    List<PageId> ids = pages.stream().map(VirtualContextPage::id).toList();
    assertThat(store().pages(ids)).isEqualTo(pages);
    assertThat(
            blackboards()
                .open(Scope.tenant(tenant).namespace("pages"), "test")
                .read("page:" + ids.getFirst())
                .toCompletableFuture()
                .join()
                .orElseThrow()
                .value()
                .has("deflated"))
        .isFalse();

    Files.writeString(tree.resolve("F0.txt"), "changed\n".repeat(30));
    assertThatThrownBy(() -> store().pages(ids))
        .isInstanceOf(PageFault.class)
        .hasMessageContaining("is not in file:" + tree + " any more: map its source again");
    Files.delete(tree.resolve("F0.txt"));
    assertThatThrownBy(() -> store().pages(ids))
        .hasMessageContaining("cannot be read from F0.txt of file:" + tree);
  }

  @Test
  void aTenantReadsWhatItIsClearedForAndNoOthersOwn() {
    Clearances clearances =
        new Clearances(
            Map.of("acme", Sensitivity.CONFIDENTIAL, "desk", Sensitivity.INTERNAL),
            Sensitivity.PUBLIC,
            Map.of(),
            Sensitivity.RESTRICTED);
    PageStore store =
        new BlackboardPageStore(
            blackboards(), tenant, "test", new StoreSettings(1 << 20, 2, 3), clearances);
    PageLabel own =
        new PageLabel(Optional.of("acme"), Sensitivity.INTERNAL, Map.of("from", "crm", "a", "b"));
    VirtualContextPage shared = page(PageLabel.NONE);
    VirtualContextPage secret = page(PageLabel.of(Sensitivity.CONFIDENTIAL));
    VirtualContextPage acmes = page(own);
    assertThat(List.of(shared.id(), secret.id(), acmes.id()))
        .as("one text, and three pages")
        .doesNotHaveDuplicates();
    store.save(List.of(shared, secret, acmes));

    assertThat(read(store.of("acme"), shared, secret, acmes))
        .containsExactly(shared, secret, acmes);
    assertThat(read(store.of("desk"), shared)).containsExactly(shared);
    assertThatThrownBy(() -> read(store.of("desk"), shared, secret))
        .isInstanceOf(PageRefused.class)
        .hasMessage(
            "page " + secret.id() + " is confidential, and tenant desk is cleared up to internal");
    assertThatThrownBy(() -> read(store.of("desk"), acmes))
        .hasMessage("page " + acmes.id() + " is another tenant's");
    assertThatThrownBy(() -> read(store.of("acme").of("desk"), acmes))
        .hasMessageContaining("is another tenant's");
  }

  @Test
  void anothersMapTellsNeitherItsGroupsNorItsFiles() {
    Clearances clearances =
        new Clearances(
            Map.of("acme", Sensitivity.CONFIDENTIAL),
            Sensitivity.INTERNAL,
            Map.of(),
            Sensitivity.RESTRICTED);
    PageStore store =
        new BlackboardPageStore(
            blackboards(), tenant, "test", new StoreSettings(1 << 20, 2, 3), clearances);
    MappingResult.Mapped shared = mapped(PageLabel.of(Sensitivity.INTERNAL));
    MappingResult.Mapped secret = mapped(PageLabel.of(Sensitivity.CONFIDENTIAL));
    MappingResult.Mapped acmes =
        mapped(new PageLabel(Optional.of("acme"), Sensitivity.PUBLIC, Map.of()));
    for (MappingResult.Mapped one : List.of(shared, secret, acmes)) {
      store.save(one.map(), one.pages());
      // One that is saved after another of the same store says whose it is, too.
      assertThat(store.of("acme").map(one.map().id())).contains(one.map());
    }
    assertThat(store.of("desk").map(shared.map().id())).contains(shared.map());
    assertThat(store.of("desk").map("none")).isEmpty();
    assertThatThrownBy(() -> store.of("desk").map(acmes.map().id()))
        .isInstanceOf(PageRefused.class)
        .hasMessage("page map " + acmes.map().id() + " is another tenant's");
    assertThatThrownBy(() -> store.of("desk").lines(secret.map()))
        .hasMessage(
            "page map "
                + secret.map().id()
                + " is confidential, and tenant desk is cleared up to internal");
    PageGroupId group = acmes.map().groups().getFirst().id();
    assertThatThrownBy(() -> store.of("desk").group(group))
        .hasMessage("page group " + group + " is another tenant's");
    assertThat(store.of("acme").lines(acmes.map())).isNotNull();
  }

  private static MappingResult.Mapped mapped(PageLabel label) {
    return Fixtures.map(Map.of("a.txt", "one text\n"), new GroupingSettings(400, 2), label);
  }

  private static VirtualContextPage page(PageLabel label) {
    return mapped(label).pages().getFirst();
  }

  private static List<VirtualContextPage> read(PageStore store, VirtualContextPage... pages) {
    return store.pages(Arrays.stream(pages).map(VirtualContextPage::id).toList());
  }

  private PageStore store() {
    return new BlackboardPageStore(blackboards(), tenant, "test", new StoreSettings(1 << 20, 2, 3));
  }

  private List<Long> versions() {
    return blackboards()
        .open(Scope.tenant(tenant).namespace("pages"), "test")
        .query(Query.keys("*").limit(1000))
        .toCompletableFuture()
        .join()
        .entries()
        .stream()
        .map(entry -> entry.version())
        .toList();
  }

  private static MappingResult.Mapped mapped(String marker) {
    Map<String, String> files = new TreeMap<>();
    for (int i = 0; i < 12; i++) {
      files.put("d" + i / 3 + "/F" + i + ".txt", ("line of " + i + " über\n").repeat(30));
    }
    files.put("d1/F4.txt", "changed: " + marker + "\n");
    return Fixtures.map(files, new GroupingSettings(400, 2));
  }
}
