package dev.colony.vcm.store;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageRefused;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.schedule.access.Clearances;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A page store as a tenant may read it. */
final class ClearedPageStore implements PageStore {

  private final PageStore store;
  private final String tenant;
  private final Clearances clearances;

  ClearedPageStore(PageStore store, String tenant, Clearances clearances) {
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
    return store.map(id);
  }

  @Override
  public CompletionStage<Optional<PageGroup>> group(PageGroupId id) {
    return store.group(id);
  }

  @Override
  public CompletionStage<PageLines> lines(PageMap map) {
    return store.lines(map);
  }

  @Override
  public PageStore of(String other) {
    return new ClearedPageStore(store, other, clearances);
  }
}
