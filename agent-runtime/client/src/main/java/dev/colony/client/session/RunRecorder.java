package dev.colony.client.session;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the account of the runs of sessions. Both calls may be repeated at will, by any node and
 * with other contents: what was recorded first stays, and counts once. Only the refusal of a run
 * that its agent never accepted gives way to a fresh try under the same id. Thread-safe; stages
 * fail as the blackboard does.
 */
public interface RunRecorder {

  /** Records nothing: for agents that no session knows of. */
  RunRecorder NONE =
      new RunRecorder() {
        @Override
        public CompletionStage<Optional<String>> admit(AgentId agent, RunRequest request) {
          return CompletableFuture.completedStage(Optional.empty());
        }

        @Override
        public CompletionStage<Void> ended(AgentId agent, RunRequest request, AgentRun run) {
          return CompletableFuture.completedStage(null);
        }
      };

  /**
   * Admits a run into the session of its request, if that has one; to be called before the run is
   * accepted.
   *
   * @return why it is refused, one line; empty where it is admitted. A run that was admitted while
   *     the session was open stays admitted
   */
  CompletionStage<Optional<String>> admit(AgentId agent, RunRequest request);

  /**
   * Counts a run that has ended, in the session of its request if it was admitted there, else in
   * the one that it ended in; to be completed before its result is published, so that who has seen
   * the result finds it in the totals.
   */
  CompletionStage<Void> ended(AgentId agent, RunRequest request, AgentRun run);
}
