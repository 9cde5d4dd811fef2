package dev.colony.vcm.store;

import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.vcm.PageFault;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.StoredMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.schedule.access.Clearances;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.source.PageSources;
import dev.colony.vcm.source.SourceContext;
import dev.colony.vcm.work.InFlight;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * The page store of a tenant, in its scope's namespace {@code pages}: one entry per page, one per
 * group and one per map, never changed once written. A map is written after its pages and groups,
 * so that those of a stored map are stored too. Nothing is removed.
 *
 * <p>Reads go through a bounded cache of this process. Stages fail with the blackboard's exception
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
  public CompletionStage<Void> save(
      PageMap map, Collection<VirtualContextPage> pages, SaveOptions options) {
    return board
        .read(MAP + map.id())
        .thenCompose(stored ->
            stored.isPresent()
                ? CompletableFuture.completedStage(null)
                : saveNew(map, pages, options));
  }

  private CompletionStage<Void> saveNew(
      PageMap map, Collection<VirtualContextPage> pages, SaveOptions options) {
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
    return InFlight.map(
            InFlight.batches(fresh, settings.batchPages()),
            settings.callsInFlight(),
            batch -> saveAbsent(batch, options.reference()))
        .thenCompose(saved ->
            InFlight.map(
                groups,
                settings.callsInFlight(),
                group ->
                    write(
                        Write.of(
                            GROUP + group.id(),
                            PageJson.labelled(
                                PageJson.write(group, lines),
                                group.pages().stream()
                                    .map(page -> labels.getOrDefault(page, PageLabel.NONE))
                                    .toList())))))
        .thenCompose(saved ->
            write(
                Write.of(MAP + map.id(), PageJson.labelled(PageJson.write(map), labels.values()))));
  }

  @Override
  public CompletionStage<Void> save(Collection<VirtualContextPage> pages) {
    return InFlight.map(
            InFlight.batches(SavedPage.of(pages), settings.batchPages()),
            settings.callsInFlight(),
            batch -> saveAbsent(batch, Optional.empty()))
        .thenApply(saved -> null);
  }

  @Override
  public PageStore of(String tenant) {
    return new ClearedPageStore(this, tenant, clearances);
  }

  @Override
  public CompletionStage<PageLines> lines(PageMap map) {
    List<String> keys = map.groups().stream().map(group -> GROUP + group.id()).toList();
    return InFlight.map(
            InFlight.batches(keys, settings.batchPages()), settings.callsInFlight(), board::readAll)
        .thenApplyAsync(batches -> {
          Map<PageId, List<PageSegment>> lines = new HashMap<>();
          batches.forEach(
              batch -> batch.forEach(entry -> lines.putAll(PageJson.lines(entry.value()))));
          return new PageLines(lines);
        });
  }

  @Override
  public CompletionStage<Optional<PageMap>> map(String id) {
    return labelledMap(id).thenApply(found -> found.map(Labelled::value));
  }

  @Override
  public CompletionStage<List<StoredMap>> maps() {
    return labelledMaps().thenApply(all -> all.stream().map(Labelled::value).toList());
  }

  CompletionStage<List<Labelled<StoredMap>>> labelledMaps() {
    return maps(Query.keys(MAP + "*").limit(settings.batchPages()), new ArrayList<>());
  }

  private CompletionStage<List<Labelled<StoredMap>>> maps(
      Query query, List<Labelled<StoredMap>> found) {
    return board
        .query(query)
        .thenCompose(page -> {
          for (Entry entry : page.entries()) {
            PageMap map = PageJson.map(entry.key().substring(MAP.length()), entry.value());
            found.add(
                new Labelled<>(
                    new StoredMap(
                        map.id(),
                        map.source(),
                        map.files(),
                        map.pages(),
                        map.sizeTokens(),
                        entry.createdAt()),
                    PageJson.labels(entry.value())));
          }
          return page.next()
              .map(next -> maps(query.from(next), found))
              .orElseGet(() -> CompletableFuture.completedStage(List.copyOf(found)));
        });
  }

  @Override
  public CompletionStage<Optional<PageGroup>> group(PageGroupId id) {
    return labelledGroup(id).thenApply(found -> found.map(Labelled::value));
  }

  /**
   * What is stored, and whose it is.
   *
   * @param labels that its pages have, but for that of pages which all may read
   */
  record Labelled<T>(T value, List<PageLabel> labels) {}

  CompletionStage<Optional<Labelled<PageMap>>> labelledMap(String id) {
    return board
        .read(MAP + id)
        .thenApply(found ->
            found
                .map(Entry::value)
                .map(json -> new Labelled<>(PageJson.map(id, json), PageJson.labels(json))));
  }

  CompletionStage<Optional<Labelled<PageGroup>>> labelledGroup(PageGroupId id) {
    return board
        .read(GROUP + id)
        .thenApply(found ->
            found
                .map(Entry::value)
                .map(json -> new Labelled<>(PageJson.group(json), PageJson.labels(json))));
  }

  @Override
  public CompletionStage<List<VirtualContextPage>> pages(List<PageId> ids) {
    Map<PageId, VirtualContextPage> found = new HashMap<>();
    Set<PageId> missing = new LinkedHashSet<>();
    for (PageId id : ids) {
      cache.get(id).ifPresentOrElse(page -> found.put(id, page), () -> missing.add(id));
    }
    return InFlight.map(
            InFlight.batches(new ArrayList<>(missing), settings.batchPages()),
            settings.callsInFlight(),
            this::read)
        .thenApply(batches -> {
          batches.forEach(batch -> batch.forEach(page -> found.put(page.id(), page)));
          return ids.stream().map(id -> present(id, found)).toList();
        });
  }

  private static VirtualContextPage present(PageId id, Map<PageId, VirtualContextPage> found) {
    VirtualContextPage page = found.get(id);
    if (page == null) {
      throw new PageFault(id);
    }
    return page;
  }

  private CompletionStage<List<VirtualContextPage>> read(List<PageId> ids) {
    return board
        .readAll(ids.stream().map(id -> PAGE + id.value()).toList())
        // Inflating does not belong on the thread that carries the backend's replies.
        .thenApplyAsync(entries -> entries.stream().map(this::remembered).toList());
  }

  private VirtualContextPage remembered(Entry entry) {
    PageId id = new PageId(entry.key().substring(PAGE.length()));
    VirtualContextPage page = PageJson.page(id, entry.value(), texts);
    cache.put(page);
    return page;
  }

  private CompletionStage<Void> saveAbsent(List<SavedPage> pages, Optional<String> reference) {
    return board
        .readAll(pages.stream().map(page -> PAGE + page.id().value()).toList())
        // Putting texts together and deflating them neither.
        .thenComposeAsync(stored -> {
          Set<String> there = stored.stream().map(Entry::key).collect(Collectors.toSet());
          List<CompletionStage<Void>> writes = new ArrayList<>();
          for (SavedPage saved : pages) {
            String key = PAGE + saved.id().value();
            if (!there.contains(key)) {
              VirtualContextPage page = saved.page();
              cache.put(page);
              writes.add(
                  write(
                      Write.of(
                          key,
                          reference
                              .map(source -> PageJson.write(page, source))
                              .orElseGet(() -> PageJson.write(page)))));
            }
          }
          return all(writes);
        });
  }

  /** Content-addressed: where an entry is there already, it is the same one. */
  private CompletionStage<Void> write(Write write) {
    return board
        .write(write.ifAbsent())
        .thenAccept(result -> {
          switch (result) {
            case WriteResult.Written written -> {}
            case WriteResult.VersionConflict same -> {}
          }
        });
  }

  private static CompletionStage<Void> all(List<CompletionStage<Void>> stages) {
    return CompletableFuture.allOf(
        stages.stream()
            .map(CompletionStage::toCompletableFuture)
            .toArray(CompletableFuture[]::new));
  }
}
