package dev.colony.client.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.SessionPages.SessionPage;
import dev.colony.client.wire.SessionPages.SessionRunPage;
import dev.colony.client.wire.WireJson;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The sessions of a colony behind the API.
 *
 * @param path of all of them
 */
record HttpSessions(ColonyApi api, String path) implements Sessions {

  private static final int MOST_AT_ONCE = 10_000;

  @Override
  public CompletableFuture<Session> open(SessionId id, String by) {
    return api.call(ApiCall.put(at(id), new RequestBody.Open(Optional.of(by)).toJson()))
        .thenApply(HttpSessions::session)
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Optional<Session>> get(SessionId id) {
    return api.find(ApiCall.get(at(id)))
        .thenApply(found -> found.map(HttpSessions::session))
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Session> close(SessionId id, String by, String reason) {
    RequestBody closing = new RequestBody.Close(Optional.of(by), Optional.of(reason));
    return api.call(ApiCall.post(at(id) + "/close", closing.toJson()))
        .thenApply(HttpSessions::session)
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Page<Session>> list(
      Optional<Session.State> state, int limit, Optional<String> after) {
    return api.call(page(path, "state", state, limit, after))
        .thenApply(json -> WireJson.answer("page of sessions", json, SessionPage.class).page())
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Page<SessionRun>> runs(
      SessionId id, Optional<SessionRun.Status> status, int limit, Optional<String> after) {
    return api.call(page(at(id) + "/runs", "status", status, limit, after))
        .thenApply(json -> WireJson.answer("page of runs", json, SessionRunPage.class).page())
        .toCompletableFuture();
  }

  private static ApiCall page(
      String path,
      String filter,
      Optional<? extends Enum<?>> only,
      int limit,
      Optional<String> after) {
    if (limit < 1 || limit > MOST_AT_ONCE) {
      throw new IllegalArgumentException(
          "limit must be 1 to " + MOST_AT_ONCE + ", but is " + limit);
    }
    // A page may be short.
    ApiCall all = ApiCall.get(path).query("limit", Math.min(limit, PAGE));
    ApiCall some =
        only.map(one -> all.query(filter, one.name().toLowerCase(Locale.ROOT))).orElse(all);
    return after.map(place -> some.query("after", place)).orElse(some);
  }

  private static Session session(JsonNode answer) {
    return WireJson.answer("session", answer, Session.class);
  }

  private String at(SessionId id) {
    return path + "/" + id;
  }
}
