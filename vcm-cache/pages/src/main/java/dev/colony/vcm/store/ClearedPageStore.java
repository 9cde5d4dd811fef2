package dev.colony.vcm.store;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageRefused;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.StoredMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.schedule.access.Clearances;
import dev.colony.vcm.store.BlackboardPageStore.Labelled;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A page store as a tenant may read it. */
final class ClearedPageStore implements PageStore {

  private final BlackboardPageStore store;
  private final String tenant;
  private final Clearances clearances;

  ClearedPageStore(BlackboardPageStore store, String tenant, Clearances clearances) {
    this.store = store;
    this.tenant = tenant;
    this.clearances = clearances;
  }

  @Override
  public CompletionStage<List<VirtualContextPage>> pages(List<PageId> ids) {
    return store
        .pages(ids)
        .thenApply(pages -> {
          pages.forEach(page ->
              clearances
                  .refusal(tenant, page.label().owner(), page.label().sensitivity())
                  .ifPresent(why -> {
                    throw new PageRefused(page.id(), why);
                  }));
          return pages;
        });
  }

  @Override
  public CompletionStage<Void> save(
      PageMap map, Collection<VirtualContextPage> pages, SaveOptions options) {
    return store.save(map, pages, options);
  }

  @Override
  public CompletionStage<Void> save(Collection<VirtualContextPage> pages) {
    return store.save(pages);
  }

  @Override
  public CompletionStage<Optional<PageMap>> map(String id) {
    return store
        .labelledMap(id)
        .thenApply(found -> found.map(map -> cleared(map, "page map " + id)));
  }

  /** Without those that the tenant may not read. */
  @Override
  public CompletionStage<List<StoredMap>> maps() {
    return store
        .labelledMaps()
        .thenApply(all ->
            all.stream()
                .filter(map ->
                    map.labels().stream()
                        .allMatch(label ->
                            clearances
                                .refusal(tenant, label.owner(), label.sensitivity())
                                .isEmpty()))
                .map(Labelled::value)
                .toList());
  }

  @Override
  public CompletionStage<Optional<PageGroup>> group(PageGroupId id) {
    return store
        .labelledGroup(id)
        .thenApply(found -> found.map(group -> cleared(group, "page group " + id)));
  }

  @Override
  public CompletionStage<PageLines> lines(PageMap map) {
    return map(map.id()).thenCompose(cleared -> store.lines(map));
  }

  private <T> T cleared(Labelled<T> found, String what) {
    for (PageLabel label : found.labels()) {
      clearances
          .refusal(tenant, label.owner(), label.sensitivity())
          .ifPresent(why -> {
            throw new PageRefused(what, why);
          });
    }
    return found.value();
  }

  @Override
  public PageStore of(String other) {
    return new ClearedPageStore(store, other, clearances);
  }
}
