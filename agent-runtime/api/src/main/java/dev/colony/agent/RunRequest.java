package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.RunBudget.TraceBudget;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.value.ValueRules;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A request to run an agent.
 *
 * @param context on whose behalf; names the run
 * @param namespace the part of the agent's scope where request, events and result stand; 1 to 128
 *     characters of {@code [A-Za-z0-9._~-]}
 * @param input what the policy is asked to do
 * @param requestedBy who asked, for people and for the blackboard's attribution
 * @param at when it was asked, by the asker's clock
 */
public record RunRequest(
    ExecutionContext context, String namespace, JsonNode input, String requestedBy, Instant at) {

  public RunRequest {
    Objects.requireNonNull(context, "context");
    Scope.tenant("any").namespace(namespace);
    Objects.requireNonNull(input, "input");
    Objects.requireNonNull(requestedBy, "requestedBy");
    Objects.requireNonNull(at, "at");
  }

  public RunId runId() {
    return context.run();
  }

  /** The request as it stands on the blackboard; {@link #fromJson} reads it back. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("runId", runId().value());
    json.put("tenant", context.tenant());
    json.put("colony", context.colony());
    context.session().ifPresent(id -> json.put("sessionId", id.value()));
    json.put("trace", context.trace());
    context.budget().ifPresent(most -> json.set("budget", most.toJson()));
    context.traceparent().ifPresent(span -> json.put(TraceParent.HEADER, span.toString()));
    json.put("namespace", namespace);
    json.set("input", input);
    json.put("requestedBy", requestedBy);
    json.put("at", at.toString());
    return json;
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException or {@link java.time.DateTimeException} if it is not a request,
   *     or breaks one of the {@link ValueRules}
   */
  public static RunRequest fromJson(JsonNode json) {
    ValueRules.check("the request", json);
    return new RunRequest(
        new ExecutionContext(
            json.path("tenant").asText(),
            json.path("colony").asText(),
            json.hasNonNull("sessionId")
                ? Optional.of(new SessionId(json.path("sessionId").asText()))
                : Optional.empty(),
            new RunId(json.path("runId").asText()),
            json.path("trace").asText(),
            json.hasNonNull("budget")
                ? Optional.of(TraceBudget.fromJson(json.get("budget")))
                : Optional.empty(),
            TraceParent.parse(json.path(TraceParent.HEADER).asText())),
        json.path("namespace").asText(),
        json.path("input"),
        json.path("requestedBy").asText(),
        Instant.parse(json.path("at").asText()));
  }
}
