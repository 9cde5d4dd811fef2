package dev.colony.agent.lifecycle;

import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.inference.InferenceReply;
import java.time.Instant;
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
}
