package dev.colony.agent.lifecycle;

import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.inference.InferenceReply;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What an agent can be told; each becomes events or is refused by {@link Lifecycle#decide}. */
public sealed interface AgentCommand {

  /** When it was given, by the clock of the node that gave it. */
  Instant at();

  /**
   * Take the agent over for a new incarnation.
   *
   * @param blueprint what the directory says, for an agent whose journal is empty
   */
  record Claim(Optional<AgentBlueprint> blueprint, String node, Instant at)
      implements AgentCommand {}

  record AcceptRun(RunRequest request, Instant at) implements AgentCommand {}

  record RecordReply(InferenceReply reply, boolean paged, Instant at) implements AgentCommand {}

  record RecordModelFailure(ModelFailure failure, Instant at) implements AgentCommand {}

  record IntendAction(Action action, Instant at) implements AgentCommand {}

  record CompleteStep(ActionOutcome outcome, Instant at) implements AgentCommand {}

  record CompleteRun(AgentRun run, Instant at) implements AgentCommand {}

  record ConfirmPublished(RunId runId, Instant at) implements AgentCommand {}

  /** The blackboard will wake the agent for writes to these scopes, and for no others. */
  record WatchScopes(List<Watch> watches, Instant at) implements AgentCommand {}

  /** A write at this position matched. */
  record NoticeEvents(Scope scope, Position position, Instant at) implements AgentCommand {}

  /**
   * The writes of a scope up to a position have been read.
   *
   * @param run to be executed for them; empty if there were none after all
   * @param next the first write after them that is known
   */
  record TakeEvents(
      Scope scope, Optional<RunRequest> run, Position upTo, Optional<Position> next, Instant at)
      implements AgentCommand {}
}
