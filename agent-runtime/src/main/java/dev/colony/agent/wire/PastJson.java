package dev.colony.agent.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.history.ForkReply;
import dev.colony.agent.inspect.InspectedAgent;
import dev.colony.agent.inspect.Past;
import dev.colony.agent.lifecycle.AgentSnapshot;

/**
 * An agent as it was, and what became of asking for one that begins there. Both are answers with a
 * {@code type}, also where the past is not known or the fork refused.
 */
public final class PastJson {

  private PastJson() {}

  /** As it is sent; {@link #read} reads it back. */
  public static ObjectNode write(Past past) {
    return switch (past) {
      case Past.Known known -> {
        ObjectNode json =
            type("known", known.agent().id()).put("sequenceNr", known.agent().events());
        json.set("state", WireJson.write(known.agent().snapshot()));
        yield json;
      }
      case Past.Unknown unknown -> type("unknown", unknown.agent());
      case Past.NotYet later ->
          type("notYet", later.agent())
              .put("sequenceNr", later.sequenceNr())
              .put("last", later.last());
      case Past.Forgotten gone ->
          type("forgotten", gone.agent())
              .put("sequenceNr", gone.sequenceNr())
              .put("oldest", gone.oldest());
    };
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws dev.colony.agent.AgentException if it is no such answer
   */
  public static Past read(JsonNode answer) {
    return WireJson.answer("past of an agent", answer, PastJson::past);
  }

  private static Past past(JsonNode json) {
    AgentId agent = AgentId.parse(json.path("agent").asText());
    long sequenceNr = json.path("sequenceNr").asLong();
    String type = json.path("type").asText();
    return switch (type) {
      case "known" ->
          new Past.Known(
              new InspectedAgent(
                  agent, WireJson.read(json.path("state"), AgentSnapshot.class), sequenceNr));
      case "unknown" -> new Past.Unknown(agent);
      case "notYet" -> new Past.NotYet(agent, sequenceNr, json.path("last").asLong());
      case "forgotten" -> new Past.Forgotten(agent, sequenceNr, json.path("oldest").asLong());
      default -> throw new IllegalArgumentException("it is of the type " + type);
    };
  }

  /** As it is sent; {@link #readFork} reads it back. */
  public static ObjectNode write(ForkReply reply) {
    return switch (reply) {
      case ForkReply.Forked forked ->
          type("forked", forked.fork())
              .put("origin", forked.origin().persistenceId())
              .put("sequenceNr", forked.sequenceNr());
      case ForkReply.NoSuchPast none -> {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("type", "noSuchPast");
        json.set("past", write(none.past()));
        yield json;
      }
      case ForkReply.OtherColony other ->
          type("otherColony", other.fork()).put("origin", other.origin().persistenceId());
      case ForkReply.Taken taken -> type("taken", taken.fork());
    };
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws dev.colony.agent.AgentException if it is no such answer
   */
  public static ForkReply readFork(JsonNode answer) {
    return WireJson.answer("reply to a fork", answer, PastJson::fork);
  }

  private static ForkReply fork(JsonNode json) {
    String type = json.path("type").asText();
    return switch (type) {
      case "forked" ->
          new ForkReply.Forked(
              agent(json, "agent"), agent(json, "origin"), json.path("sequenceNr").asLong());
      case "noSuchPast" -> new ForkReply.NoSuchPast(past(json.path("past")));
      case "otherColony" -> new ForkReply.OtherColony(agent(json, "agent"), agent(json, "origin"));
      case "taken" -> new ForkReply.Taken(agent(json, "agent"));
      default -> throw new IllegalArgumentException("it is of the type " + type);
    };
  }

  private static AgentId agent(JsonNode json, String name) {
    return AgentId.parse(json.path(name).asText());
  }

  private static ObjectNode type(String type, AgentId agent) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("type", type)
        .put("agent", agent.persistenceId());
  }
}
