package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.client.history.AgentHistory.HistoryReader;
import dev.colony.core.dispatch.LogNames;
import dev.colony.journal.LostLogs;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done where the store has lost events or results of an agent: the agent is held back until
 * an operator has decided, the decision is followed, and results are published again. Used by the
 * agent's actor only.
 */
record StoreLosses(
    AgentId agent, EntityServices services, FailureWatch failures, Consumer<AgentMessage> self) {

  private static final Logger LOG = LoggerFactory.getLogger(StoreLosses.class);

  /** What the agent did last on a node that died while the store went back, nothing can tell. */
  void holdBack(String died) {
    services
        .losses()
        .hold(agent.persistenceId())
        .whenComplete((held, failure) ->
            self.accept(
                new AgentMessage.Held(
                    new IllegalStateException(
                        "the store went back when node %s died with what it knew of agent %s"
                            .formatted(died, agent),
                        failure))));
  }

  /** What an operator has decided after the store has lost events of the agent. */
  void followDecision() {
    Optional<LostLogs.Decided> decision = services.losses().takeDecision(agent.persistenceId());
    if (decision.isEmpty()) {
      return;
    }
    long event = decision.get().event();
    switch (decision.get().decision()) {
      case CONTINUE ->
          decided("goes on without its events up to %d, which the store has lost", event);
      case CLOSE -> {
        decided("goes on without its events up to %d, and its open run ends", event);
        failures.lost(event);
      }
      case RESTORED -> {
        decided("has its events behind %d back", event);
        publishAgain(event);
      }
    }
  }

  private void decided(String what, long event) {
    LogNames.of(agent).run(() -> LOG.warn("agent {} {}", agent, what.formatted(event)));
  }

  /** The results of runs that have ended behind an event; those that are there stay as they are. */
  private void publishAgain(long behind) {
    services
        .shared()
        .history()
        .ended(agent, behind)
        .thenCompose(all ->
            CompletableFuture.allOf(
                all.stream()
                    .map(one ->
                        services
                            .results()
                            .publish(agent, one.request(), one.run(), Optional.empty())
                            .toCompletableFuture())
                    .toArray(CompletableFuture[]::new)))
        .exceptionally(failure -> {
          LogNames.of(agent)
              .run(() ->
                  LOG.warn(
                      "results of {} that the store has lost are not published again; a caller that"
                          + " asks for one under its id gets it",
                      agent,
                      failure));
          return null;
        });
  }

  /**
   * The result of a run that is asked for once more after its end: the store has lost it, since a
   * request whose result is there does not come to the agent.
   */
  CompletionStage<Void> publishAgain(RunRequest request) {
    RunId run = request.runId();
    return services
        .shared()
        .history()
        .ended(agent, 0)
        .thenCompose(all ->
            services
                .results()
                .publish(
                    agent,
                    request,
                    all.stream()
                        .map(HistoryReader.Ended::run)
                        .filter(end -> end.runId().equals(run))
                        .findFirst()
                        .orElseGet(() -> AgentRun.failed(run, "its result is gone", RunStats.NONE)),
                    Optional.empty()));
  }
}
