package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.RunNotice;
import dev.colony.core.logging.LogNames;
import dev.colony.core.retry.Backoff;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes known among the events of an agent's run what the run waits for and what it was answered,
 * each once and in order. A notice is written only where the last one of its name came about before
 * it, which the same transaction looks at: one that a crash has kept back follows when the agent
 * starts again, and one that was written is not written again, also not by another incarnation.
 * Used by the agent's actor only.
 */
final class RunNotices {

  private static final Logger LOG = LoggerFactory.getLogger(RunNotices.class);
  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final AgentId agent;
  private final EntityServices services;

  /** The last of each name that was given on, of the run that is at the head of the queue. */
  private final Map<String, RunNotice> given = new HashMap<>();

  private Optional<RunId> head = Optional.empty();
  private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);
  private volatile boolean over;

  RunNotices(AgentId agent, EntityServices services) {
    this.agent = agent;
    this.services = services;
  }

  /** The agent's actor is at its end. */
  void end() {
    over = true;
  }

  /**
   * Has what is new in a state written; returns at once.
   *
   * @param unfit why the agent cannot be built here; empty if it can
   * @return done when that and all before it is stored, or cannot be
   */
  CompletableFuture<Void> tell(AgentSnapshot state, Optional<String> unfit) {
    List<RunNotice> all = new ArrayList<>(RunNotice.of(agent, state));
    unfit.flatMap(why -> RunNotice.unfit(state, why, services.now())).ifPresent(all::add);
    if (all.isEmpty()) {
      return told;
    }
    RunId run = all.getFirst().request().runId();
    if (!head.equals(Optional.of(run))) {
      given.clear();
      head = Optional.of(run);
    }
    for (RunNotice notice : all) {
      RunNotice before = given.get(notice.name());
      if (before == null || notice.after(before.data())) {
        given.put(notice.name(), notice);
        told = told.thenCompose(done -> written(notice));
      }
    }
    return told;
  }

  private CompletionStage<Void> written(RunNotice notice) {
    Blackboard board =
        services
            .shared()
            .ports()
            .get(Blackboards.class)
            .open(agent.scope().namespace(notice.request().namespace()), agent.persistenceId());
    RunId run = notice.request().runId();
    String key = PROTOCOL.eventKey(run.value(), notice.name());
    Write write = Write.of(key, notice.data()).ttl(services.shared().keepProgress());
    return services
        .settings()
        .blackboardBackoff()
        .repeat(
            "making known what run " + run + " waits for",
            () -> over,
            () ->
                board.transaction(tx ->
                    tx.read(key)
                        .thenCompose(last ->
                            last.isEmpty() || notice.after(last.get().value())
                                ? tx.write(write)
                                : CompletableFuture.completedStage(null))))
        .handle((done, failure) -> {
          if (failure != null && !over) {
            LogNames.of(agent, run)
                .run(() ->
                    LOG.warn(
                        "that run {} of {} has come to {} is not made known: {}",
                        run,
                        agent,
                        notice.name(),
                        Backoff.cause(failure).getMessage()));
          }
          return null;
        });
  }
}
