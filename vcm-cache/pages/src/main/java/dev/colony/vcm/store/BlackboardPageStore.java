package dev.colony.vcm.store;

import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.PageStore.PageFault;
import dev.colony.vcm.PageStore.PageRefused;
import dev.colony.vcm.PageStore.StoredMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.PageList;
import dev.colony.vcm.mapping.Parallel;
import dev.colony.vcm.schedule.Clearances;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.PageSources;
import dev.colony.vcm.store.PageJson.ReferencedText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The page store of a tenant, in its scope's namespace {@code pages}: one entry per page, one per
 * group and one per map, never changed once written. A map is written after its pages and groups,
 * so that those of a stored map are stored too. Nothing is removed.
 *
 * <p>Reads go through a bounded cache of this process. Calls fail with the blackboard's exception
 * where it cannot answer; saving again completes what a failure left undone.
 */
public final class BlackboardPageStore implements PageStore {

  private static final String PAGE = "page:";
  private static final String GROUP = "group:";
  private static final String MAP = "map:";

  private final Blackboard board;
  private final StoreSettings settings;
  private final PageCache cache;
  private final ReferencedText texts;
  private final Clearances clearances;

  /**
   * Holds nothing but its cache; opens the sources of pages that are stored by reference as this
   * process is configured.
   *
   * @param writer who the pages are attributed to
   */
  public BlackboardPageStore(
      Blackboards blackboards, String tenant, String writer, StoreSettings settings) {
    this(blackboards, tenant, writer, settings, Clearances.ALL);
  }

  /**
   * The same.
   *
   * @param clearances what tenants may read of it, see {@link #of}
   */
  public BlackboardPageStore(
      Blackboards blackboards,
      String tenant,
      String writer,
      StoreSettings settings,
      Clearances clearances) {
    this.clearances = clearances;
    this.board = blackboards.open(Scope.tenant(tenant).namespace("pages"), writer);
    this.settings = settings;
    this.cache = new PageCache(settings.cacheBytes());
    this.texts =
        new ReferencedText(spec ->
            PageSources.installed().open(spec, new SourceContext(ConfigFactory.load(), tenant)));
  }

  @Override
  public void save(PageMap map, Collection<VirtualContextPage> pages, SaveOptions options) {
    if (Await.result(board.read(MAP + map.id())).isEmpty()) {
      saveNew(map, pages, options);
    }
  }

  private void saveNew(PageMap map, Collection<VirtualContextPage> pages, SaveOptions options) {
    Set<PageId> known = new HashSet<>();
    Set<PageGroupId> knownGroups = new HashSet<>();
    for (PageGroup group : options.before().map(PageMap::groups).orElse(List.of())) {
      knownGroups.add(group.id());
      known.addAll(group.pages());
    }
    List<SavedPage> all = SavedPage.of(pages);
    List<SavedPage> fresh = all.stream().filter(page -> !known.contains(page.id())).toList();
    List<PageGroup> groups =
        map.groups().stream().filter(group -> !knownGroups.contains(group.id())).toList();
    Set<PageId> grouped = new HashSet<>();
    groups.forEach(group -> grouped.addAll(group.pages()));
    Map<PageId, List<PageSegment>> lines = new HashMap<>();
    Map<PageId, PageLabel> labels = new HashMap<>();
    for (SavedPage page : all) {
      labels.put(page.id(), page.label());
      if (grouped.contains(page.id())) {
        lines.put(page.id(), page.segments());
      }
    }
    saveAbsent(fresh, options.reference());
    writeAbsent(
        groups.stream()
            .map(group ->
                Write.of(
                    GROUP + group.id(),
                    PageJson.labelled(
                        PageJson.write(group, lines),
                        group.pages().stream()
                            .map(page -> labels.getOrDefault(page, PageLabel.NONE))
                            .toList())))
            .toList());
    writeAbsent(
        List.of(Write.of(MAP + map.id(), PageJson.labelled(PageJson.write(map), labels.values()))));
  }

  @Override
  public void save(Collection<VirtualContextPage> pages) {
    saveAbsent(SavedPage.of(pages), Optional.empty());
  }

  @Override
  public PageStore of(String tenant) {
    return new ClearedPageStore(this, tenant, clearances);
  }

  @Override
  public PageLines lines(PageMap map) {
    Map<PageId, List<PageSegment>> lines = new HashMap<>();
    read(map.groups().stream().map(group -> GROUP + group.id()).toList())
        .forEach(entry -> lines.putAll(PageJson.lines(entry.value())));
    return new PageLines(lines);
  }

  @Override
  public Optional<PageMap> map(String id) {
    return labelledMap(id).map(Labelled::value);
  }

  @Override
  public List<StoredMap> maps() {
    return labelledMaps().stream().map(Labelled::value).toList();
  }

  List<Labelled<StoredMap>> labelledMaps() {
    List<Labelled<StoredMap>> found = new ArrayList<>();
    Optional<Query> query = Optional.of(Query.keys(MAP + "*").limit(settings.batchPages()));
    while (query.isPresent()) {
      Query asked = query.get();
      EntryPage page = Await.result(board.query(asked));
      page.entries().forEach(entry -> found.add(listed(entry)));
      query = page.next().map(asked::from);
    }
    return List.copyOf(found);
  }

  private static Labelled<StoredMap> listed(Entry entry) {
    PageMap map = PageJson.map(entry.key().substring(MAP.length()), entry.value());
    return new Labelled<>(
        new StoredMap(
            map.id(), map.source(), map.files(), map.pages(), map.sizeTokens(), entry.createdAt()),
        PageJson.labels(entry.value()));
  }

  @Override
  public Optional<PageGroup> group(PageGroupId id) {
    return labelledGroup(id).map(Labelled::value);
  }

  /**
   * What is stored, and whose it is.
   *
   * @param labels that its pages have, but for that of pages which all may read
   */
  record Labelled<T>(T value, List<PageLabel> labels) {}

  Optional<Labelled<PageMap>> labelledMap(String id) {
    return Await.result(board.read(MAP + id))
        .map(Entry::value)
        .map(json -> new Labelled<>(PageJson.map(id, json), PageJson.labels(json)));
  }

  Optional<Labelled<PageGroup>> labelledGroup(PageGroupId id) {
    return Await.result(board.read(GROUP + id))
        .map(Entry::value)
        .map(json -> new Labelled<>(PageJson.group(json), PageJson.labels(json)));
  }

  @Override
  public List<VirtualContextPage> pages(List<PageId> ids) {
    Map<PageId, VirtualContextPage> found = new HashMap<>();
    Set<PageId> missing = new LinkedHashSet<>();
    for (PageId id : ids) {
      cache.get(id).ifPresentOrElse(page -> found.put(id, page), () -> missing.add(id));
    }
    for (Entry entry : read(missing.stream().map(id -> PAGE + id.value()).toList())) {
      VirtualContextPage page = remembered(entry);
      found.put(page.id(), page);
    }
    return ids.stream().map(id -> present(id, found)).toList();
  }

  private static VirtualContextPage present(PageId id, Map<PageId, VirtualContextPage> found) {
    VirtualContextPage page = found.get(id);
    if (page == null) {
      throw new PageFault(id);
    }
    return page;
  }

  /** The entries that are there; several batches are read at once. */
  private List<Entry> read(List<String> keys) {
    return Parallel.blocking(
            settings.callsInFlight(),
            Parallel.batches(keys, settings.batchPages()),
            batch -> Await.result(board.readAll(batch)))
        .stream()
        .flatMap(List::stream)
        .toList();
  }

  private VirtualContextPage remembered(Entry entry) {
    PageId id = new PageId(entry.key().substring(PAGE.length()));
    VirtualContextPage page = PageJson.page(id, entry.value(), texts);
    cache.put(page);
    return page;
  }

  private void saveAbsent(List<SavedPage> pages, Optional<String> reference) {
    Parallel.blocking(
        settings.callsInFlight(),
        Parallel.batches(pages, settings.batchPages()),
        batch -> {
          List<String> keys = batch.stream().map(page -> PAGE + page.id().value()).toList();
          Set<String> there =
              Await.result(board.readAll(keys)).stream()
                  .map(Entry::key)
                  .collect(Collectors.toSet());
          writeAbsent(
              batch.stream()
                  .filter(page -> !there.contains(PAGE + page.id().value()))
                  .map(page -> write(page.page(), reference))
                  .toList());
          return null;
        });
  }

  private Write write(VirtualContextPage page, Optional<String> reference) {
    cache.put(page);
    return Write.of(
        PAGE + page.id().value(),
        reference
            .map(source -> PageJson.write(page, source))
            .orElseGet(() -> PageJson.write(page)));
  }

  /** Content-addressed: where an entry is there already, it is the same one. */
  private void writeAbsent(List<Write> writes) {
    Parallel.blocking(
        settings.callsInFlight(), writes, write -> Await.result(board.write(write.ifAbsent())));
  }

  /** The pages used last, up to a number of bytes of text. Thread-safe. */
  static final class PageCache {

    private final long capacityBytes;
    private final LinkedHashMap<PageId, VirtualContextPage> pages =
        new LinkedHashMap<>(16, 0.75f, true);
    private long heldBytes;

    PageCache(long capacityBytes) {
      this.capacityBytes = capacityBytes;
    }

    synchronized Optional<VirtualContextPage> get(PageId id) {
      return Optional.ofNullable(pages.get(id));
    }

    synchronized void put(VirtualContextPage page) {
      if (pages.put(page.id(), page) != null) {
        return; // equal ids are equal pages
      }
      heldBytes += bytes(page);
      Iterator<VirtualContextPage> eldest = pages.values().iterator();
      while (heldBytes > capacityBytes && eldest.hasNext()) {
        heldBytes -= bytes(eldest.next());
        eldest.remove();
      }
    }

    synchronized long heldBytes() {
      return heldBytes;
    }

    /** An upper bound: Java keeps Latin-1 text in one byte a character. */
    private static long bytes(VirtualContextPage page) {
      return 2L * page.text().length();
    }
  }

  /**
   * A page that is to be saved.
   *
   * @param text gives the page with its text, which may have to be read
   */
  record SavedPage(
      PageId id, List<PageSegment> segments, PageLabel label, Supplier<VirtualContextPage> text) {

    static List<SavedPage> of(Collection<VirtualContextPage> pages) {
      List<SavedPage> all = new ArrayList<>(pages.size());
      if (pages instanceof PageList read) {
        for (int i = 0; i < read.size(); i++) {
          int index = i;
          all.add(new SavedPage(read.id(i), read.segments(i), read.label(), () -> read.get(index)));
        }
      } else {
        pages.forEach(
            page -> all.add(new SavedPage(page.id(), page.segments(), page.label(), () -> page)));
      }
      return all;
    }

    VirtualContextPage page() {
      return text.get();
    }
  }

  /** A page store as a tenant may read it. */
  static final class ClearedPageStore implements PageStore {

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
}
