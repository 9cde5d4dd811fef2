package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.blackboard.Scope;
import java.util.Objects;
import java.util.Optional;

/**
 * On whose behalf something is done. It travels with every message and is checked wherever a scope
 * is opened: work for one tenant never touches another's.
 *
 * @param session empty for a run outside any session
 * @param trace names the whole of what one request set off, over all agents; 1 to 128 characters
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record ExecutionContext(
    String tenant, String colony, Optional<SessionId> session, RunId run, String trace) {

  public ExecutionContext {
    Scope.colony(tenant, colony);
    Objects.requireNonNull(session, "session");
    Objects.requireNonNull(run, "run");
    if (trace == null || trace.isEmpty() || trace.length() > 128) {
      throw new IllegalArgumentException("a trace is 1 to 128 characters, not: " + trace);
    }
  }

  /** A run that starts a trace of its own, outside any session. */
  public static ExecutionContext of(AgentId agent, RunId run) {
    return new ExecutionContext(agent.tenant(), agent.colony(), Optional.empty(), run, run.value());
  }

  /** The same within a session. */
  public ExecutionContext session(SessionId id) {
    return new ExecutionContext(tenant, colony, Optional.of(id), run, trace);
  }

  /** The context of another run that this one sets off, of an agent of the same colony. */
  public ExecutionContext sets(RunId other) {
    return new ExecutionContext(tenant, colony, session, other, trace);
  }

  /** Whether a scope belongs to the tenant, and if it is of one colony, to the colony. */
  public boolean covers(Scope scope) {
    return scope.tenant().equals(tenant) && scope.colony().map(colony::equals).orElse(true);
  }
}
