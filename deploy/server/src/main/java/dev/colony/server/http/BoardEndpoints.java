package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.client.wire.WireJson;
import dev.colony.server.access.Role;
import dev.colony.server.board.BoardViews.BoardEvent;
import dev.colony.server.board.BoardViews.EntryViewPage;
import dev.colony.server.board.BoardViews.ScopePage;
import dev.colony.server.board.ScopeContent;
import dev.colony.server.http.Endpoint.Verb;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The blackboard of a tenant, to be read. */
record BoardEndpoints(ApiSources sources, int mostOfPage) {

  private static final String BOARD = "/v1/tenants/{tenant}/board";
  private static final Pattern POSITION = Pattern.compile("\\d{1,18}-\\d{1,18}");

  List<Endpoint> all() {
    return List.of(
        Endpoint.of(
            "listScopes", Verb.GET, BOARD + "/scopes", Role.VIEWER, this::scopes, "limit", "after"),
        Endpoint.of(
            "getEntries",
            Verb.GET,
            BOARD + "/entries",
            Role.VIEWER,
            this::entries,
            "scope",
            "key",
            "keys",
            "tag",
            "limit",
            "after"),
        Endpoint.of(
            "watchScope",
            Verb.GET,
            BOARD + "/events",
            Role.VIEWER,
            this::events,
            "scope",
            "keys",
            "from"));
  }

  private ApiResponse scopes(Call call) {
    int most = limit(call);
    Optional<Scope> after = call.query("after", path -> own(call, path));
    String tenant = Call.checked(() -> Scope.tenant(call.path("tenant"))).tenant();
    List<ScopeContent> found =
        ScopeContent.list(sources.blackboards(), Optional.of(tenant), after, most + 1);
    List<ScopeContent> page = found.subList(0, Math.min(most, found.size()));
    Optional<String> next =
        found.size() > most ? Optional.of(page.getLast().scope().path()) : Optional.empty();
    return ApiResponse.ok(ScopePage.of(page, next));
  }

  private ApiResponse entries(Call call) {
    Blackboard board = board(call);
    Optional<String> key = call.query("key");
    if (key.isPresent()) {
      return join(Call.checked(() -> board.read(key.get())))
          .map(entry -> ApiResponse.ok(EntryViewPage.of(List.of(entry), Optional.empty())))
          .orElseThrow(() -> Refusal.of(Code.NOT_FOUND, "there is no entry " + key.get()));
    }
    String[] tags = call.queries("tag").toArray(String[]::new);
    Query query =
        Call.checked(
            () -> Query.keys(call.query("keys").orElse("*")).allTags(tags).limit(limit(call)));
    Optional<Query.Cursor> after = call.query("after", Query.Cursor::new);
    // One page of the backend, which bounds its bytes: it may be short and yet have a next one.
    return ApiResponse.ok(
        EntryViewPage.of(join(board.query(after.map(query::from).orElse(query)))));
  }

  /** It begins at a position that is known, so that nothing is missed between two readings. */
  private ApiResponse events(Call call) {
    Blackboard board = board(call);
    EventFilter filter =
        call.query("keys", glob -> (EventFilter) new EventFilter.Keys(new KeyGlob(glob)))
            .orElseGet(() -> new EventFilter.And(List.of()));
    Position begin =
        call.header("last-event-id")
            .filter(id -> !id.isEmpty())
            .or(() -> call.query("from"))
            .map(from -> Call.checked(() -> position(board, from)))
            .orElseGet(() -> head(board));
    return new ApiResponse.Events<>(
        Optional.of(begin.toString()),
        board.subscribe(filter, SubscribeFrom.after(begin)),
        BoardEndpoints::event,
        false);
  }

  private static Position position(Blackboard board, String from) {
    return switch (from) {
      case "now" -> head(board);
      case "beginning" -> Position.BEGINNING;
      default -> {
        if (!POSITION.matcher(from).matches()) {
          throw new IllegalArgumentException("not a position: " + from);
        }
        yield Position.parse(from);
      }
    };
  }

  private static Position head(Blackboard board) {
    return join(board.statistics()).head();
  }

  private static ServerEvent event(BlackboardEvent event) {
    return new ServerEvent(
        event.position().toString(), ServerEvent.PROGRESS, WireJson.write(BoardEvent.of(event)));
  }

  private Blackboard board(Call call) {
    String path =
        call.query("scope")
            .orElseThrow(() ->
                Refusal.of(Code.BAD_REQUEST, "the parameter scope is missing: tenant:NAME..."));
    return sources.blackboards().open(own(call, path), call.principal().name());
  }

  /** Another tenant's is not reached by way of this one's path. */
  private static Scope own(Call call, String path) {
    Scope scope = Call.checked(() -> Scope.parse(path));
    if (!scope.tenant().equals(call.path("tenant"))) {
      throw Refusal.of(Code.FORBIDDEN, scope + " is no scope of tenant " + call.path("tenant"));
    }
    return scope;
  }

  private int limit(Call call) {
    return (int) call.number("limit", Query.DEFAULT_LIMIT, 1, mostOfPage);
  }
}
