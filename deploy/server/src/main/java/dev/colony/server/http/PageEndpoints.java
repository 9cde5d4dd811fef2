package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import dev.colony.blackboard.Scope;
import dev.colony.server.access.Role;
import dev.colony.server.http.Endpoint.Reach;
import dev.colony.server.http.Endpoint.Verb;
import dev.colony.server.http.PageViews.MapPageView;
import dev.colony.server.http.PageViews.MapPagesView;
import dev.colony.server.http.PageViews.PageEntryView;
import dev.colony.server.http.PageViews.PageFaultsView;
import dev.colony.server.http.PageViews.PageGraphStatistics;
import dev.colony.server.http.PageViews.PageGraphView;
import dev.colony.server.http.PageViews.PageLocksView;
import dev.colony.server.http.PageViews.PageTableView;
import dev.colony.server.node.Node;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageRefused;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.graph.GraphStatistics;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.store.PageGraphStore;
import dev.colony.vcm.table.HolderLeases;
import dev.colony.vcm.table.HolderLeases.Outcome;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageLeases;
import dev.colony.vcm.table.PageState;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Where pages stand, locks of them, and what sources were mapped to. */
record PageEndpoints(ApiSources sources, HttpSettings settings) {

  private static final String WRITER = "http-api";
  private static final String PAGES = "/v1/pages";
  private static final String MAP = "/v1/tenants/{tenant}/page-maps/{map}";
  private static final int USUAL = 100;
  private static final int SHOWN = 10;
  private static final long LONGEST = 604_800;

  List<Endpoint> all() {
    return List.of(
        ofAll("getPages", Verb.GET, PAGES, call -> ApiResponse.ok(sources.pages().get())),
        ofAll("getPageTable", Verb.GET, PAGES + "/table", this::table, "replica", "state", "limit"),
        ofAll(
            "getPageLocks",
            Verb.GET,
            PAGES + "/locks",
            call -> ApiResponse.ok(PageLocksView.of(known().locks(now())))),
        ofAll(
            "getPageFaults",
            Verb.GET,
            PAGES + "/faults",
            call -> ApiResponse.ok(PageFaultsView.of(known().faults(now())))),
        ofAll("lockPage", Verb.POST, PAGES + "/{page}/lock", this::lock, "seconds"),
        ofAll("extendPageLock", Verb.POST, PAGES + "/{page}/extend", this::extend, "seconds"),
        ofAll("unlockPage", Verb.POST, PAGES + "/{page}/unlock", this::unlock),
        Endpoint.of(
            "getPageMap", Verb.GET, MAP + "/pages", Role.VIEWER, this::pages, "skip", "limit"),
        Endpoint.of("getPageGraph", Verb.GET, MAP + "/graph", Role.VIEWER, this::graph, "limit"),
        Endpoint.of(
            "getPageGraphStatistics",
            Verb.GET,
            MAP + "/statistics",
            Role.VIEWER,
            this::statistics));
  }

  /** Pages are named by their content, and all tenants' stand in the same caches. */
  private static Endpoint ofAll(
      String operationId, Verb verb, String path, Endpoint.Handler handler, String... parameters) {
    return new Endpoint(
        operationId,
        verb,
        new PathTemplate(path),
        verb == Verb.GET ? Role.VIEWER : Role.OPERATOR,
        Reach.EVERY_TENANT,
        Set.of(parameters),
        handler);
  }

  private PageTableSnapshot known() {
    return sources.groupPages().table().snapshot();
  }

  private Instant now() {
    return sources.blackboards().clock().instant();
  }

  private int limit(Call call) {
    int most = settings.sizes().page();
    return (int) call.number("limit", Math.min(USUAL, most), 1, most);
  }

  private ApiResponse table(Call call) {
    int most = limit(call);
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
    return "operator:" + call.principal().name();
  }

  private static List<PageId> page(Call call) {
    return List.of(Call.checked(() -> new PageId(call.path("page"))));
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
    return shown(join(leases().unlock(holder(call), page(call))));
  }

  private static ApiResponse granted(CompletionStage<Outcome> asked) {
    return switch (join(asked)) {
      case Outcome.Granted granted -> shown(granted.leases());
      case Outcome.Refused refused -> throw Refusal.of(Code.BAD_REQUEST, refused.reason());
    };
  }

  private static ApiResponse shown(HolderLeases leases) {
    return ApiResponse.ok(PageLocksView.of(leases.pageLocks()));
  }

  private static String tenant(Call call) {
    return Call.checked(() -> Scope.tenant(call.path("tenant"))).tenant();
  }

  /** The pages that all share, as the tenant may read them. */
  private PageStore store(Call call) {
    return sources.groupPages().store().of(tenant(call));
  }

  private PageMap map(Call call) {
    String id = call.path("map");
    try {
      return join(Call.checked(() -> store(call).map(id)))
          .orElseThrow(() -> Refusal.of(Code.NOT_FOUND, "there is no page map %s".formatted(id)));
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof PageRefused refused) {
        throw Refusal.of(Code.FORBIDDEN, refused.getMessage());
      }
      throw failure;
    }
  }

  private PageGraph load(Call call) {
    PageMap map = map(call);
    return join(
        new PageGraphStore(
                sources.blackboards().open(PageGraphStore.scope(Node.PAGES_TENANT), WRITER),
                settings.maps().graph(),
                settings.maps().store())
            .load(map.id()));
  }

  private ApiResponse pages(Call call) {
    int most = limit(call);
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
            join(store(call).pages(ids)).stream().map(MapPageView::of).toList()));
  }

  private ApiResponse graph(Call call) {
    int most = limit(call);
    return ApiResponse.ok(PageGraphView.of(load(call).heaviest(most, now())));
  }

  private ApiResponse statistics(Call call) {
    return ApiResponse.ok(PageGraphStatistics.of(GraphStatistics.of(load(call), SHOWN, now())));
  }
}
