package dev.colony.server.agents;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.client.DeadLetters;
import dev.colony.agent.session.FailedWokenRun;
import dev.colony.agent.view.AgentView;
import dev.colony.agent.view.StepView;
import dev.colony.agent.wire.WireJson;
import dev.colony.blackboard.DeadLetter;
import java.util.List;
import java.util.Optional;

/** What the agents commands print with {@code --json}: the field names are stable. */
public final class AgentsJson {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private AgentsJson() {}

  /** One agent of many. */
  public static ObjectNode agent(ShownAgent agent) {
    ObjectNode json =
        NODES
            .objectNode()
            .put("id", agent.id().persistenceId())
            .put("state", agent.state().name())
            .put("kind", agent.listed().entry().blueprint().kind().name())
            .put("unit", agent.listed().entry().unit())
            .put("since", agent.listed().entry().since().toString())
            .put("openRuns", agent.openRuns());
    agent.reason().ifPresent(why -> json.put("reason", why));
    agent.suspension().ifPresent(one -> json.set("suspension", WireJson.write(one)));
    agent
        .lost()
        .ifPresent(
            log -> json.set("suspension", WireJson.write(log).put("cause", ShownAgent.LOST)));
    if (!agent.asks().isEmpty()) {
      agent.asks().forEach(json.putArray("asks")::add);
    }
    agent
        .listed()
        .entry()
        .lineage()
        .ifPresent(lineage -> {
          lineage.parent().ifPresent(parent -> json.put("parent", parent.persistenceId()));
          json.put("depth", lineage.depth());
          json.put("onParentStop", lineage.onParentStop().name());
        });
    return json;
  }

  /** A tree, the children within it. */
  public static ObjectNode tree(AgentsView.ShownTree tree) {
    ObjectNode json = agent(tree.agent());
    ArrayNode children = json.putArray("children");
    tree.children().forEach(child -> children.add(tree(child)));
    return json;
  }

  /** One agent with all that is known of it. */
  public static ObjectNode whole(
      ShownAgent agent,
      List<ShownCapability> capabilities,
      List<StepView> steps,
      Optional<FailedWokenRun> failure) {
    ObjectNode json = agent(agent);
    json.set("policy", agent.listed().entry().blueprint().policy().toJson());
    agent.journal().ifPresent(known -> journal(json, known));
    failure.ifPresent(run ->
        json.putObject("lastFailure")
            .put("runId", run.run().value())
            .put("reason", run.reason())
            .put("at", run.at().toString()));
    ArrayNode all = json.putArray("capabilities");
    capabilities.forEach(one -> all.add(capability(one)));
    json.set("steps", steps(steps));
    return json;
  }

  private static void journal(ObjectNode json, AgentView known) {
    json.put("incarnation", known.incarnation());
    json.put("node", known.node());
    ArrayNode runs = json.putArray("runs");
    known.runs().forEach(run -> runs.add(WireJson.write(run)));
  }

  private static ObjectNode capability(ShownCapability capability) {
    ObjectNode json =
        NODES
            .objectNode()
            .put("key", capability.key())
            .put("type", capability.type())
            .put("version", capability.version())
            .put("active", capability.active());
    capability.unknown().ifPresent(why -> json.put("unknown", why));
    ArrayNode actions = json.putArray("actions");
    for (ActionDescription action : capability.actions()) {
      ObjectNode one =
          actions
              .addObject()
              .put("key", action.key())
              .put("summary", action.summary())
              .put("effect", action.effect().name())
              .put("planned", action.planned());
      one.set("parameters", action.parameters());
    }
    return json;
  }

  /** Steps in their order. */
  public static ArrayNode steps(List<StepView> steps) {
    ArrayNode all = NODES.arrayNode();
    steps.forEach(one -> all.add(WireJson.write(one)));
    return all;
  }

  /** A dead letter of the inbox, without the request in it. */
  public static ObjectNode deadLetter(DeadLetter letter) {
    return NODES
        .objectNode()
        .put("letter", DeadLetters.name(letter))
        .put("agent", letter.request().recipient())
        .put("scope", letter.request().scope().path())
        .put("key", letter.request().key())
        .put("reason", letter.reason())
        .put("deliveries", letter.deliveries())
        .put("firstFailed", letter.first().toString())
        .put("lastFailed", letter.last().toString())
        .put("at", letter.at().toString());
  }

  /** The same with the request. */
  public static ObjectNode wholeDeadLetter(DeadLetter letter) {
    return deadLetter(letter).set("request", letter.request().value());
  }
}
