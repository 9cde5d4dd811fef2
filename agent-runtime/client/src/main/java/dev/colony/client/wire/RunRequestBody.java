package dev.colony.client.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.schema.JsonValues;
import java.util.Optional;

/**
 * The body of a request to run an agent.
 *
 * @param protocol run or work; empty for run
 * @param scope agent, session, colony or tenant; empty for agent
 * @param runId the run's id, so that asking again is safe; empty for a new one
 * @param requestedBy for people; empty for the name of the key
 * @param caller the run that sets this one off
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record RunRequestBody(
    @JsonInclude JsonNode input,
    String namespace,
    Optional<String> protocol,
    Optional<String> scope,
    Optional<RunId> runId,
    Optional<SessionId> sessionId,
    Optional<String> requestedBy,
    Optional<Caller> caller) {

  /** A run that sets off another, and hands on its trace and its session. */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Caller(RunId runId, String trace, Optional<SessionId> sessionId) {

    public Caller {
      if (runId == null) {
        throw new IllegalArgumentException("the caller of a run needs the field runId");
      }
    }

    public static Caller of(ExecutionContext context) {
      return new Caller(context.run(), context.trace(), context.session());
    }

    /** Its context, which is of the tenant and the colony that the path names. */
    public ExecutionContext context(String tenant, String colony) {
      return new ExecutionContext(tenant, colony, sessionId, runId, trace);
    }
  }

  public RunRequestBody {
    if (input == null) {
      throw new IllegalArgumentException("a run needs an input; it may be null");
    }
    RunAddress.options(Optional.ofNullable(namespace), protocol, scope, sessionId);
  }

  /**
   * @param runId the run's, in place of an idempotency key that it may be made of
   * @param context of the run that sets this one off
   * @throws IllegalArgumentException if the protocol does not travel
   */
  public static RunRequestBody of(
      JsonNode input, RunOptions options, RunId runId, Optional<ExecutionContext> context) {
    return new RunRequestBody(
        input,
        options.namespace(),
        Optional.of(ProtocolName.of(options.protocol()))
            .filter(protocol -> protocol != ProtocolName.RUN)
            .map(ProtocolName::word),
        Optional.of(options.scope())
            .filter(scope -> scope != ScopeLevel.AGENT)
            .map(RunAddress::word),
        Optional.of(runId),
        options.session(),
        Optional.of(options.requestedBy()),
        context.map(Caller::of));
  }

  /** How the run is asked for, without what only its caller knows: how long to wait. */
  public RunOptions options() {
    RunOptions options = RunAddress.options(Optional.of(namespace), protocol, scope, sessionId);
    RunOptions named = runId.map(options::runId).orElse(options);
    return requestedBy.map(named::requestedBy).orElse(named);
  }

  /** As it is sent; {@link #fromJson} reads it back. */
  public ObjectNode toJson() {
    return (ObjectNode) JsonValues.toJson(this);
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException on one line, if it is none
   */
  public static RunRequestBody fromJson(JsonNode json) {
    return WireJson.request(json, RunRequestBody.class);
  }
}
