package dev.colony.vcm.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageFault;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.settings.GroupingSettings;
import dev.colony.vcm.settings.StoreSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What a page store does, over any backend. */
abstract class PageStoreContract {

  private final String tenant = "test-" + UUID.randomUUID();

  abstract Blackboards blackboards();

  @Test
  void givesBackWhatWasSaved() {
    MappingResult.Mapped mapped = mapped("x");
    store().save(mapped.map(), mapped.pages()).toCompletableFuture().join();

    PageStore other = store();
    assertThat(other.map(mapped.map().id()).toCompletableFuture().join()).contains(mapped.map());
    List<PageId> ids = new ArrayList<>(mapped.pages().stream().map(p -> p.id()).toList());
    Collections.reverse(ids);
    ids.add(ids.getFirst());
    List<VirtualContextPage> pages = other.pages(ids).toCompletableFuture().join();
    assertThat(pages).extracting(VirtualContextPage::id).isEqualTo(ids);
    assertThat(pages).containsAll(mapped.pages());
    assertThat(other.pages(ids).toCompletableFuture().join()).isEqualTo(pages);
  }

  @Test
  void aGroupIsFoundByItsIdAlone() {
    MappingResult.Mapped mapped = mapped("x");
    store().save(mapped.map(), mapped.pages()).toCompletableFuture().join();

    for (PageGroup group : mapped.map().groups()) {
      assertThat(store().group(group.id()).toCompletableFuture().join()).contains(group);
    }
    PageGroupId other = new PageGroupId("a".repeat(26));
    assertThat(store().group(other).toCompletableFuture().join()).isEmpty();
  }

  @Test
  void savingAgainWritesNothing() {
    MappingResult.Mapped mapped = mapped("x");
    store().save(mapped.map(), mapped.pages()).toCompletableFuture().join();
    store().save(mapped.map(), mapped.pages()).toCompletableFuture().join();

    int groups = mapped.map().groups().size();
    assertThat(versions()).hasSize(mapped.pages().size() + groups + 1).containsOnly(1L);
  }

  @Test
  void savingAChangedSourceWritesItsNewPagesOnly() {
    MappingResult.Mapped before = mapped("x");
    MappingResult.Mapped after = mapped("y");
    store().save(before.map(), before.pages()).toCompletableFuture().join();
    store().save(after.map(), after.pages()).toCompletableFuture().join();

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
    store().save(mapped.map(), mapped.pages()).toCompletableFuture().join();
    List<PageId> ids = List.of(mapped.pages().getFirst().id(), Fixtures.page(7));

    assertThatThrownBy(() -> store().pages(ids).toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(PageFault.class)
        .hasMessageContaining(Fixtures.page(7).value());
    assertThat(store().map("none").toCompletableFuture().join()).isEmpty();
    assertThat(store().pages(List.of()).toCompletableFuture().join()).isEmpty();
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
