package dev.colony.deploy.agents;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.client.DeadLetters;
import dev.colony.agent.inspect.InspectedStep;
import dev.colony.agent.lifecycle.ActiveRun;
import dev.colony.agent.lifecycle.AgentSnapshot;
import dev.colony.agent.lifecycle.Parked;
import dev.colony.agent.session.FailedWokenRun;
import dev.colony.agent.suspension.Suspension;
import dev.colony.blackboard.DeadLetter;
import dev.colony.inference.Usage;
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
    agent.suspension().ifPresent(one -> json.set("suspension", suspension(one)));
    agent
        .lost()
        .ifPresent(
            log -> json.set("suspension", LostEvents.json(log).put("cause", ShownAgent.LOST)));
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

  private static ObjectNode suspension(Suspension suspension) {
    ObjectNode json =
        NODES
            .objectNode()
            .put("number", suspension.number())
            .put("cause", suspension.cause().name())
            .put("reason", suspension.reason())
            .put("since", suspension.at().toString());
    suspension.until().ifPresent(until -> json.set("until", until.toJson()));
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
      List<InspectedStep> steps,
      Optional<FailedWokenRun> failure) {
    ObjectNode json = agent(agent);
    json.set("policy", agent.listed().entry().blueprint().policy().toJson());
    agent.journal().ifPresent(known -> journal(json, known.snapshot()));
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

  private static void journal(ObjectNode json, AgentSnapshot known) {
    json.put("incarnation", known.incarnation());
    json.put("node", known.node());
    ArrayNode runs = json.putArray("runs");
    known
        .queue()
        .forEach(queued -> {
          ObjectNode run =
              runs.addObject()
                  .put("runId", queued.runId().value())
                  .put("namespace", queued.request().namespace())
                  .put("requestedBy", queued.request().requestedBy())
                  .put("trace", queued.request().context().trace())
                  .put("acceptedAt", queued.acceptedAt().toString());
          queued.cancelled().ifPresent(why -> run.put("cancelled", why));
        });
    if (!runs.isEmpty()) {
      known.active().ifPresent(active -> active((ObjectNode) runs.get(0), active));
    }
  }

  private static void active(ObjectNode run, ActiveRun active) {
    active.session().ifPresent(session -> run.put("session", session.value()));
    run.set("stats", active.stats().toJson());
    active.parked().ifPresent(parked -> run.set("parked", parked(parked)));
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
  public static ArrayNode steps(List<InspectedStep> steps) {
    ArrayNode all = NODES.arrayNode();
    steps.forEach(one -> all.add(step(one)));
    return all;
  }

  private static ObjectNode step(InspectedStep step) {
    ObjectNode json = NODES.objectNode();
    step.run().ifPresent(run -> json.put("runId", run.value()));
    json.put("event", step.sequenceNr()).put("step", step.step()).put("at", step.at().toString());
    step.took().ifPresent(took -> json.put("tookMillis", took.toMillis()));
    step.call().ifPresent(call -> json.set("action", call(call)));
    Usage usage = step.usage();
    json.put("modelCalls", step.modelCalls())
        .put("promptTokens", usage.promptTokens())
        .put("cachedTokens", usage.cachedTokens())
        .put("completionTokens", usage.completionTokens())
        .put("cost", step.cost().toPlainString());
    step.parked().ifPresent(parked -> json.set("parked", parked(parked)));
    step.error()
        .ifPresent(error ->
            json.putObject("error").put("kind", error.kind()).put("message", error.message()));
    return json;
  }

  private static ObjectNode call(ActionCall call) {
    ObjectNode json =
        NODES
            .objectNode()
            .put("actionId", call.action().actionId())
            .put("key", call.action().key())
            .put("status", call.result().status().name());
    json.set("parameters", call.action().params());
    json.set("output", call.result().output());
    Optional.of(call.result().error())
        .filter(why -> !why.isEmpty())
        .ifPresent(why -> json.put("error", why));
    call.result().stored().ifPresent(key -> json.put("stored", key));
    return json;
  }

  private static ObjectNode parked(Parked parked) {
    ObjectNode json = NODES.objectNode().put("idle", parked.idle()).put("reason", parked.reason());
    ArrayNode on = json.putArray("blockingAgentIds");
    parked.blockingAgentIds().forEach(id -> on.add(id.persistenceId()));
    parked.until().ifPresent(until -> json.set("until", until.toJson()));
    return json;
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
