package dev.colony.agent.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.schema.JsonValues;
import dev.colony.blackboard.ScopeLevel;
import java.util.Optional;

/**
 * The body of a request to run an agent.
 *
 * @param protocol run or work; empty for run
 * @param scope agent, session, colony or tenant; empty for agent
 * @param runId the run's id, so that asking again is safe; empty for a new one
 * @param requestedBy for people; empty for whoever the key names
 * @param behalf the run that sets this one off
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record RunOrder(
    @JsonInclude JsonNode input,
    String namespace,
    Optional<String> protocol,
    Optional<String> scope,
    Optional<RunId> runId,
    Optional<SessionId> session,
    Optional<String> requestedBy,
    Optional<Behalf> behalf) {

  /** A run that sets off another, and hands on its trace and its session. */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Behalf(RunId run, String trace, Optional<SessionId> session) {

    public static Behalf of(ExecutionContext context) {
      return new Behalf(context.run(), context.trace(), context.session());
    }

    /** Its context, which is of the tenant and the colony that the path names. */
    public ExecutionContext context(String tenant, String colony) {
      return new ExecutionContext(tenant, colony, session, run, trace);
    }
  }

  public RunOrder {
    if (input == null) {
      throw new IllegalArgumentException("a run needs an input; it may be null");
    }
    RunAddress.options(Optional.ofNullable(namespace), protocol, scope, session);
  }

  /**
   * @param runId the run's, in place of an idempotency key that it may be made of
   * @param context of the run that sets this one off
   * @throws IllegalArgumentException if the protocol does not travel
   */
  public static RunOrder of(
      JsonNode input, RunOptions options, RunId runId, Optional<ExecutionContext> context) {
    return new RunOrder(
        input,
        options.namespace(),
        Optional.of(SpokenProtocol.of(options.protocol()))
            .filter(protocol -> protocol != SpokenProtocol.RUN)
            .map(SpokenProtocol::word),
        Optional.of(options.scope())
            .filter(scope -> scope != ScopeLevel.AGENT)
            .map(RunAddress::word),
        Optional.of(runId),
        options.session(),
        Optional.of(options.requestedBy()),
        context.map(Behalf::of));
  }

  /** How the run is asked for, without what only its caller knows: how long to wait. */
  public RunOptions options() {
    RunOptions options = RunAddress.options(Optional.of(namespace), protocol, scope, session);
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
  public static RunOrder fromJson(JsonNode json) {
    return WireJson.order(json, RunOrder.class);
  }
}
