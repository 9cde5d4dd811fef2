package dev.colony.agent.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.session.Session;
import dev.colony.agent.session.SessionRun;
import dev.colony.agent.session.SessionTotals;
import dev.colony.agent.session.Sessions.Page;
import java.util.function.Function;

/** Sessions with their totals, and pages of sessions and of their runs. */
public final class SessionJson {

  private static final String SESSIONS = "sessions";
  private static final String RUNS = "runs";

  private SessionJson() {}

  /** As it is sent; {@link #read} reads it back. */
  public static ObjectNode write(Session session) {
    ObjectNode json = session.toJson();
    json.set("totals", session.totals().toJson());
    return json;
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws dev.colony.agent.AgentException if it is no such answer
   */
  public static Session read(JsonNode answer) {
    return WireJson.answer("session", answer, SessionJson::session);
  }

  private static Session session(JsonNode json) {
    return Session.fromJson(json).totals(SessionTotals.fromJson(json.path("totals")));
  }

  /** As it is sent; {@link #readSessions} reads it back. */
  public static ObjectNode writeSessions(Page<Session> page) {
    return page(SESSIONS, page, SessionJson::write);
  }

  /**
   * Reads {@link #writeSessions} back.
   *
   * @throws dev.colony.agent.AgentException if it is no such answer
   */
  public static Page<Session> readSessions(JsonNode answer) {
    return WireJson.answer(
        "page of sessions", answer, json -> page(SESSIONS, json, SessionJson::session));
  }

  /** As it is sent; {@link #readRuns} reads it back. */
  public static ObjectNode writeRuns(Page<SessionRun> page) {
    return page(RUNS, page, SessionRun::toJson);
  }

  /**
   * Reads {@link #writeRuns} back.
   *
   * @throws dev.colony.agent.AgentException if it is no such answer
   */
  public static Page<SessionRun> readRuns(JsonNode answer) {
    return WireJson.answer("page of runs", answer, json -> page(RUNS, json, SessionRun::fromJson));
  }

  private static <T> ObjectNode page(String name, Page<T> page, Function<T, ObjectNode> writer) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    ArrayNode items = json.putArray(name);
    page.items().forEach(item -> items.add(writer.apply(item)));
    page.next().ifPresent(next -> json.put("next", next));
    return json;
  }

  private static <T> Page<T> page(String name, JsonNode json, Function<JsonNode, T> reader) {
    return new Page<>(
        json.path(name).valueStream().map(reader).toList(), WireJson.text(json, "next"));
  }
}
