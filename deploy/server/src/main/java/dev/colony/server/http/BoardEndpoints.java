package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.client.DeadLetters;
import dev.colony.client.wire.WireJson;
import dev.colony.server.AgentViews.DeadLetterPage;
import dev.colony.server.AgentViews.DeadLetterView;
import dev.colony.server.BoardViews.BoardEvent;
import dev.colony.server.BoardViews.EntryViewPage;
import dev.colony.server.BoardViews.ScopeContent;
import dev.colony.server.BoardViews.ScopePage;
import dev.colony.server.NotFoundException;
import dev.colony.server.http.ApiResponse.ServerEvent;
import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

record BoardEndpoints(ApiSources sources, int mostOfPage) {

  private static final Pattern POSITION = Pattern.compile("\\d{1,18}-\\d{1,18}");

  void addTo(Handlers handlers) {
    handlers.on("listScopes", this::scopes);
    handlers.on("getEntries", this::entries);
    handlers.on("watchScope", this::events);
  }

  private ApiResponse scopes(Call call) {
    int most = call.limit(Query.DEFAULT_LIMIT, mostOfPage);
    Optional<Scope> after = call.query("after").map(path -> own(call, path));
    List<ScopeContent> found =
        ScopeContent.list(sources.blackboards(), Optional.of(call.tenant()), after, most + 1);
    List<ScopeContent> page = found.subList(0, Math.min(most, found.size()));
    Optional<String> next =
        found.size() > most ? Optional.of(page.getLast().scope().path()) : Optional.empty();
    return ApiResponse.ok(ScopePage.of(page, next));
  }

  private ApiResponse entries(Call call) {
    Blackboard board = board(call);
    Optional<String> key = call.query("key");
    if (key.isPresent()) {
      return join(board.read(key.get()))
          .map(entry -> ApiResponse.ok(EntryViewPage.of(List.of(entry), Optional.empty())))
          .orElseThrow(() -> new NotFoundException("there is no entry " + key.get()));
    }
    String[] tags = call.queries("tag").toArray(String[]::new);
    Query query =
        Query.keys(call.query("keys").orElse("*"))
            .allTags(tags)
            .limit(call.limit(Query.DEFAULT_LIMIT, mostOfPage));
    Optional<Query.Cursor> after = call.query("after").map(Query.Cursor::new);
    // One page of the backend, which bounds its bytes: it may be short and yet have a next one.
    return ApiResponse.ok(
        EntryViewPage.of(join(board.query(after.map(query::from).orElse(query)))));
  }

  /** It begins at a position that is known, so that nothing is missed between two readings. */
  private ApiResponse events(Call call) {
    Blackboard board = board(call);
    EventFilter filter =
        call.query("keys")
            .<EventFilter>map(glob -> new EventFilter.Keys(new KeyGlob(glob)))
            .orElseGet(() -> new EventFilter.And(List.of()));
    Position begin =
        call.header("last-event-id")
            .filter(id -> !id.isEmpty())
            .or(() -> call.query("from"))
            .map(from -> position(board, from))
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
    return sources.blackboards().open(own(call, path), call.principal().writer());
  }

  /** Another tenant's is not reached by way of this one's path. */
  private static Scope own(Call call, String path) {
    Scope scope = Scope.parse(path);
    if (!scope.tenant().equals(call.path("tenant"))) {
      throw Refusal.of(Code.FORBIDDEN, scope + " is no scope of tenant " + call.path("tenant"));
    }
    return scope;
  }

  record InboxEndpoints(ApiSources sources, int mostOfPage) {

    private static final int PAGE = 100;

    void addTo(Handlers handlers) {
      handlers.on("listDeadLetters", this::list);
      handlers.on("getDeadLetter", this::show);
      handlers.on("sendDeadLetter", this::send);
      handlers.on("dropDeadLetter", this::drop);
    }

    private ApiResponse list(Call call) {
      int most = call.limit(PAGE, mostOfPage);
      DeadLetters.Page page =
          join(letters().list(Optional.of(call.tenant()), call.query("after"), most));
      return ApiResponse.ok(DeadLetterPage.of(page));
    }

    private ApiResponse show(Call call) {
      return ApiResponse.ok(DeadLetterView.whole(letter(call)));
    }

    private ApiResponse send(Call call) {
      call.checkEmpty();
      join(letters().send(letter(call), call.principal().writer()));
      return new ApiResponse.Stored();
    }

    private ApiResponse drop(Call call) {
      call.checkEmpty();
      DeadLetter letter = letter(call);
      join(letters().drop(letter));
      return ApiResponse.ok(DeadLetterView.of(letter));
    }

    private DeadLetter letter(Call call) {
      String name = call.path("letter");
      return join(letters().find(Optional.of(call.tenant()), name))
          .orElseThrow(() -> new NotFoundException("there is no dead letter " + name));
    }

    private DeadLetters letters() {
      return new DeadLetters(sources.blackboards());
    }
  }
}
