package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.RunBudget.TraceBudget;
import dev.colony.blackboard.Scope;
import java.util.Objects;
import java.util.Optional;

/**
 * On whose behalf something is done. It travels with every message and is checked wherever a scope
 * is opened: work for one tenant never touches another's.
 *
 * @param session empty for a run outside any session
 * @param trace names the whole of what one request set off, over all agents; 1 to 128 characters
 * @param budget what the model calls of all that may take; empty where only each run is bounded
 * @param traceparent the span that has set off the run, or within a run what it does now; empty
 *     where none is known
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record ExecutionContext(
    String tenant,
    String colony,
    Optional<SessionId> session,
    RunId run,
    String trace,
    Optional<TraceBudget> budget,
    Optional<TraceParent> traceparent) {

  public ExecutionContext {
    Scope.colony(tenant, colony);
    Objects.requireNonNull(session, "session");
    Objects.requireNonNull(run, "run");
    budget = budget == null ? Optional.empty() : budget;
    traceparent = traceparent == null ? Optional.empty() : traceparent;
    if (trace == null || trace.isEmpty() || trace.length() > 128) {
      throw new IllegalArgumentException("a trace is 1 to 128 characters, not: " + trace);
    }
  }

  /** Without a budget of its trace, and set off by no span. */
  public ExecutionContext(
      String tenant, String colony, Optional<SessionId> session, RunId run, String trace) {
    this(tenant, colony, session, run, trace, Optional.empty(), Optional.empty());
  }

  /** A run that starts a trace of its own, outside any session. */
  public static ExecutionContext of(AgentId agent, RunId run) {
    return new ExecutionContext(agent.tenant(), agent.colony(), Optional.empty(), run, run.value());
  }

  /** The same within a session. */
  public ExecutionContext session(SessionId id) {
    return new ExecutionContext(tenant, colony, Optional.of(id), run, trace, budget, traceparent);
  }

  /** The same where all that it sets off has a budget. */
  public ExecutionContext budget(TraceBudget most) {
    return new ExecutionContext(
        tenant, colony, session, run, trace, Optional.of(most), traceparent);
  }

  /** The same as the doing of a span. */
  public ExecutionContext traceparent(TraceParent span) {
    return new ExecutionContext(tenant, colony, session, run, trace, budget, Optional.of(span));
  }

  /** The context of another run that this one sets off, of an agent of the same colony. */
  public ExecutionContext sets(RunId other) {
    return new ExecutionContext(tenant, colony, session, other, trace, budget, traceparent);
  }

  /** Whether a scope belongs to the tenant, and if it is of one colony, to the colony. */
  public boolean covers(Scope scope) {
    return scope.tenant().equals(tenant) && scope.colony().map(colony::equals).orElse(true);
  }
}
