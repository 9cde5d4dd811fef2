package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import dev.colony.agent.SessionId;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.SessionPages.SessionPage;
import dev.colony.client.wire.SessionPages.SessionRunPage;
import dev.colony.server.access.Role;
import dev.colony.server.http.Endpoint.Verb;
import java.util.List;
import java.util.Optional;

/** The sessions of a colony. */
record SessionEndpoints(ApiSources sources, int mostOfPage) {

  private static final String SESSIONS = AgentEndpoints.COLONY + "/sessions";
  private static final String SESSION = SESSIONS + "/{session}";

  List<Endpoint> all() {
    return List.of(
        Endpoint.of("openSession", Verb.PUT, SESSION, Role.OPERATOR, this::open),
        Endpoint.of(
            "listSessions", Verb.GET, SESSIONS, Role.VIEWER, this::list, "state", "limit", "after"),
        Endpoint.of("getSession", Verb.GET, SESSION, Role.VIEWER, this::show),
        Endpoint.of("closeSession", Verb.POST, SESSION + "/close", Role.OPERATOR, this::close),
        Endpoint.of(
            "listSessionRuns",
            Verb.GET,
            SESSION + "/runs",
            Role.VIEWER,
            this::runs,
            "status",
            "limit",
            "after"));
  }

  private ApiResponse open(Call call) {
    RequestBody.Open body = call.body(json -> RequestBody.read(json, RequestBody.Open.class));
    String by = call.who(body.by());
    return ApiResponse.ok(join(sessions(call).open(id(call), by)));
  }

  private ApiResponse show(Call call) {
    return join(sessions(call).get(id(call)))
        .map(session -> ApiResponse.ok(session))
        .orElseThrow(() -> Refusal.of(Code.NOT_FOUND, "there is no session " + id(call)));
  }

  private ApiResponse close(Call call) {
    RequestBody.Close body = call.body(json -> RequestBody.read(json, RequestBody.Close.class));
    String by = call.who(body.by());
    return ApiResponse.ok(join(sessions(call).close(id(call), by, body.reason().orElse(""))));
  }

  private ApiResponse list(Call call) {
    Optional<Session.State> state = call.constant("state", Session.State.class);
    return ApiResponse.ok(
        SessionPage.of(
            join(
                Call.checked(() -> sessions(call).list(state, limit(call), call.query("after"))))));
  }

  private ApiResponse runs(Call call) {
    Optional<SessionRun.Status> status = call.constant("status", SessionRun.Status.class);
    return ApiResponse.ok(
        SessionRunPage.of(
            join(
                Call.checked(() ->
                    sessions(call).runs(id(call), status, limit(call), call.query("after"))))));
  }

  private int limit(Call call) {
    return (int) call.number("limit", Sessions.PAGE, 1, mostOfPage);
  }

  private Sessions sessions(Call call) {
    return Call.checked(() -> sources.colony().sessions(call.path("tenant"), call.path("colony")));
  }

  private static SessionId id(Call call) {
    return Call.checked(() -> new SessionId(call.path("session")));
  }
}
