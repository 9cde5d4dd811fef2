package dev.colony.vcm.store;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.PageStore.PageRefused;
import dev.colony.vcm.PageStore.StoredMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.schedule.Clearances;
import dev.colony.vcm.store.BlackboardPageStore.Labelled;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

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
  public List<VirtualContextPage> pages(List<PageId> ids) {
    List<VirtualContextPage> pages = store.pages(ids);
    pages.forEach(page ->
        refusal(page.label())
            .ifPresent(why -> {
              throw new PageRefused(page.id(), why);
            }));
    return pages;
  }

  @Override
  public void save(PageMap map, Collection<VirtualContextPage> pages, SaveOptions options) {
    store.save(map, pages, options);
  }

  @Override
  public void save(Collection<VirtualContextPage> pages) {
    store.save(pages);
  }

  @Override
  public Optional<PageMap> map(String id) {
    return store.labelledMap(id).map(map -> cleared(map, "page map " + id));
  }

  /** Without those that the tenant may not read. */
  @Override
  public List<StoredMap> maps() {
    return store.labelledMaps().stream()
        .filter(map -> map.labels().stream().allMatch(label -> refusal(label).isEmpty()))
        .map(Labelled::value)
        .toList();
  }

  @Override
  public Optional<PageGroup> group(PageGroupId id) {
    return store.labelledGroup(id).map(group -> cleared(group, "page group " + id));
  }

  @Override
  public PageLines lines(PageMap map) {
    map(map.id());
    return store.lines(map);
  }

  private Optional<String> refusal(PageLabel label) {
    return clearances.refusal(tenant, label.owner(), label.sensitivity());
  }

  private <T> T cleared(Labelled<T> found, String what) {
    for (PageLabel label : found.labels()) {
      refusal(label)
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
