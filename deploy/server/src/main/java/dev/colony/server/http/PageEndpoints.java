package dev.colony.server.http;

import dev.colony.client.wire.RequestBody;
import dev.colony.inference.CallContext;
import dev.colony.server.Explorer;
import dev.colony.server.NotFoundException;
import dev.colony.server.Principal;
import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.server.http.PageViews.MapPageView;
import dev.colony.server.http.PageViews.MapPagesView;
import dev.colony.server.http.PageViews.PageEntryView;
import dev.colony.server.http.PageViews.PageFaultsView;
import dev.colony.server.http.PageViews.PageGraphView;
import dev.colony.server.http.PageViews.PageLocksView;
import dev.colony.server.http.PageViews.PageTableView;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import dev.colony.server.node.Node;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.PageStore.PageRefused;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.store.PageGraphStore;
import dev.colony.vcm.store.StoreSettings;
import dev.colony.vcm.table.HolderLeases;
import dev.colony.vcm.table.HolderLeases.Outcome;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageLeases;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Where pages stand, locks of them, and what sources were mapped to. */
record PageEndpoints(ApiSources sources, int mostOfPage, StoreSettings store) {

  private static final String WRITER = "http-api";

  private static final int USUAL = 100;
  private static final long LONGEST = 604_800;

  void addTo(Handlers handlers) {
    handlers.on("getPages", call -> ApiResponse.ok(sources.pages().get()));
    handlers.on("getPageTable", this::table);
    handlers.on("getPageLocks", call -> ApiResponse.ok(PageLocksView.of(known().locks(now()))));
    handlers.on("getPageFaults", call -> ApiResponse.ok(PageFaultsView.of(known().faults(now()))));
    handlers.on("lockPage", this::lock);
    handlers.on("extendPageLock", this::extend);
    handlers.on("unlockPage", this::unlock);
    handlers.on("getPageMap", this::pages);
    handlers.on("getPageGraph", this::graph);
    handlers.on("explore", this::explore);
  }

  private PageTableSnapshot known() {
    return sources.groupPages().table().snapshot();
  }

  private Instant now() {
    return sources.blackboards().clock().instant();
  }

  private ApiResponse table(Call call) {
    int most = call.limit(Math.min(USUAL, mostOfPage), mostOfPage);
    Optional<PageState> state = call.constant("state", PageState.class);
    Optional<String> replica = call.query("replica");
    PageTableSnapshot known = known();
    Instant now = now();
    List<PageEntry> entries =
        known.ids().stream()
            .filter(one -> replica.filter(name -> !name.equals(one.value())).isEmpty())
            .flatMap(one -> known.entries(one, now).stream())
            .filter(entry -> state.filter(wanted -> wanted != entry.state()).isEmpty())
            .toList();
    return ApiResponse.ok(
        new PageTableView(
            entries.size(), entries.stream().limit(most).map(PageEntryView::of).toList()));
  }

  private PageLeases leases() {
    return sources.groupPages().table().leases();
  }

  private static String holder(Call call) {
    return "operator:" + call.principal().writer();
  }

  private static List<PageId> page(Call call) {
    return List.of(new PageId(call.path("page")));
  }

  private static Duration lease(Call call) {
    return Duration.ofSeconds(call.number("seconds", 600, 1, LONGEST));
  }

  private ApiResponse lock(Call call) {
    call.checkEmpty();
    return granted(leases().lock(holder(call), page(call), lease(call)));
  }

  private ApiResponse extend(Call call) {
    call.checkEmpty();
    return granted(leases().extend(holder(call), page(call), lease(call)));
  }

  private ApiResponse unlock(Call call) {
    call.checkEmpty();
    return shown(leases().unlock(holder(call), page(call)));
  }

  private static ApiResponse granted(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Granted granted -> shown(granted.leases());
      case Outcome.Refused refused -> throw Refusal.of(Code.BAD_REQUEST, refused.reason());
    };
  }

  private static ApiResponse shown(HolderLeases leases) {
    return ApiResponse.ok(PageLocksView.of(leases.pageLocks()));
  }

  /** The pages that all share, as the tenant may read them. */
  private PageStore store(Call call) {
    return sources.groupPages().store().of(call.tenant());
  }

  private PageMap map(Call call) {
    String id = call.path("map");
    try {
      return store(call)
          .map(id)
          .orElseThrow(() -> new NotFoundException("there is no page map " + id));
    } catch (PageRefused refused) {
      throw Refusal.of(Code.FORBIDDEN, refused.getMessage());
    }
  }

  private PageGraph load(Call call) {
    PageMap map = map(call);
    return new PageGraphStore(
            sources.blackboards().open(PageGraphStore.scope(Node.PAGES_TENANT), WRITER), store)
        .load(map.id());
  }

  private ApiResponse pages(Call call) {
    int most = call.limit(Math.min(USUAL, mostOfPage), mostOfPage);
    long skip = call.number("skip", 0, 0, Integer.MAX_VALUE);
    PageMap map = map(call);
    List<PageId> ids =
        map.groups().stream()
            .map(PageGroup::pages)
            .flatMap(List::stream)
            .skip(skip)
            .limit(most)
            .toList();
    return ApiResponse.ok(
        new MapPagesView(
            map.id(),
            map.source(),
            map.pages(),
            store(call).pages(ids).stream().map(MapPageView::of).toList()));
  }

  private ApiResponse explore(Call call) {
    RequestBody.Explore asked = call.body(RequestBody.Explore.class);
    Principal principal = call.principal();
    try {
      return ApiResponse.ok(
          sources
              .explorer()
              .explore(
                  asked.question(),
                  asked.map(),
                  asked.limit().orElse(Explorer.USUAL),
                  principal.everyTenant() ? CallContext.NO_TENANT : principal.tenant()));
    } catch (PageRefused refused) {
      throw Refusal.of(Code.FORBIDDEN, refused.getMessage());
    }
  }

  private ApiResponse graph(Call call) {
    int most = call.limit(Math.min(USUAL, mostOfPage), mostOfPage);
    return ApiResponse.ok(PageGraphView.of(load(call).heaviest(most, now())));
  }
}
