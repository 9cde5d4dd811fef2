package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.value.Text;
import dev.colony.client.history.AgentHistory.HistoryReader;
import dev.colony.core.dispatch.LogNames;
import dev.colony.core.lifecycle.RecoveryPolicy.RecoveryCause;
import dev.colony.journal.JournalException;
import dev.colony.journal.JournalException.LostEventsException;
import dev.colony.journal.LostLogs;
import dev.colony.node.entity.EntityClient.AcceptReply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.BehaviorInterceptor;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.typed.EventRejectedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees why an agent's actor fails and keeps it over the actor's restarts, so that the next claim
 * says it: an event that the journal rejects for good would be rejected again after each recovery,
 * and what the agent did for it be done again. A failure of the journal that may pass is not seen
 * here, since the behavior within recovers from it. Used by the agent's actor only.
 */
final class FailureWatch extends BehaviorInterceptor<Object, Object> {

  private static final Logger LOG = LoggerFactory.getLogger(FailureWatch.class);
  private static final int SHOWN = 500;

  private final AgentId agent;
  private RecoveryCause last = RecoveryCause.UNKNOWN;
  private String logged = "";

  /** Who waits for what is being journaled, if it is not the agent's own work. */
  private Optional<ActorRef<AcceptReply>> asker = Optional.empty();

  private boolean claim;

  /** Why the journal could not be read the last time, which is said once. */
  private String unread = "";

  private Optional<String> unclaimable = Optional.empty();

  FailureWatch(AgentId agent) {
    super(Object.class);
    this.agent = agent;
  }

  @SuppressWarnings("unchecked")
  static Behavior<AgentMessage> over(FailureWatch failures, Behavior<AgentMessage> agent) {
    // The journal's answers come to the same actor, so that they are no messages of the agent's.
    return Behaviors.intercept(() -> failures, (Behavior<Object>) (Behavior<?>) agent).narrow();
  }

  /**
   * Why the journal cannot be read.
   *
   * @param retried whether it is tried again, since the cause may pass
   * @param lost whether the store has lost events, about which an operator decides
   */
  record Unreadable(String why, boolean retried, boolean lost) {}

  /** The journal could not be read; a loss was said where it was found. */
  Unreadable unreadable(Throwable failure) {
    Throwable cause = known(failure);
    if (cause instanceof LostEventsException) {
      return new Unreadable(cause.getMessage() + "; an operator has to decide", false, true);
    }
    String why = "the agent cannot be recovered: " + cause.getMessage();
    if (!why.equals(unread)) {
      unread = why;
      LogNames.of(agent).run(() -> LOG.error("{}: {}", agent, why));
    }
    boolean retried =
        cause instanceof JournalException journal
            ? journal.retryable()
            : !(cause instanceof IllegalStateException);
    return new Unreadable(why, retried, false);
  }

  /** What failed, without what Pekko wraps it in: it tells the same failure twice. */
  private static Throwable known(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null
        && !(cause instanceof JournalException || cause instanceof IllegalStateException)) {
      cause = cause.getCause();
    }
    return cause;
  }

  void read() {
    unread = "";
  }

  void journalsWork() {
    asker = Optional.empty();
    claim = false;
  }

  void journalsFor(ActorRef<AcceptReply> replyTo) {
    asker = Optional.of(replyTo);
    claim = false;
  }

  void journalsClaim() {
    asker = Optional.empty();
    claim = true;
  }

  /** Whether the caller has been told already that the journal refuses it. */
  boolean answered(ActorRef<AcceptReply> replyTo) {
    return asker.isEmpty() || !asker.get().equals(replyTo);
  }

  /** An operator has decided that the run ends that is open after the store has lost events. */
  void lost(long acknowledged) {
    last =
        RecoveryCause.lost(
            "the store lost events up to %d, and an operator has closed the run"
                .formatted(acknowledged));
  }

  /** What the next claim is to say. */
  RecoveryCause last() {
    return last;
  }

  /** Why the agent can never be claimed; empty if it can, as far as is known. */
  Optional<String> unclaimable() {
    return unclaimable;
  }

  void claimed() {
    last = RecoveryCause.PASSING;
  }

  /** The agent gets on, so that the same failure later is told again. */
  void progressed() {
    logged = "";
  }

  @Override
  public Behavior<Object> aroundReceive(
      TypedActorContext<Object> context, Object message, ReceiveTarget<Object> target) {
    try {
      return target.apply(context, message);
    } catch (EventRejectedException rejected) {
      rejected(rejected.getCause() == null ? rejected : rejected.getCause());
      throw rejected;
    } catch (RuntimeException failure) {
      last = RecoveryCause.failed(line(failure));
      log("agent {} failed and recovers: {}", failure);
      throw failure;
    }
  }

  private void rejected(Throwable cause) {
    String why = line(cause);
    if (asker.isPresent()) {
      asker.get().tell(new AcceptReply.Rejected("the journal refuses it: " + why));
      asker = Optional.empty();
      LOG.debug("the journal refuses what agent {} was asked for", agent, cause);
    } else if (claim) {
      unclaimable = Optional.of(why);
    } else {
      last = RecoveryCause.rejected(why);
      log("the journal refuses what came of the work of agent {}, whose run ends: {}", cause);
    }
  }

  private void log(String what, Throwable cause) {
    String why = line(cause);
    if (!why.equals(logged)) {
      logged = why;
      LogNames.of(agent).run(() -> LOG.error(what, agent, why, cause));
    }
  }

  private static String line(Throwable failure) {
    return Text.line(
        failure.getMessage() == null ? failure.toString() : failure.getMessage(), SHOWN);
  }

  /**
   * What is done where the store has lost events or results of an agent: the agent is held back
   * until an operator has decided, the decision is followed, and results are published again. Used
   * by the agent's actor only.
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

    /**
     * The results of runs that have ended behind an event; those that are there stay as they are.
     */
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
                        "results of {} that the store has lost are not published again; a caller"
                            + " that asks for one under its id gets it",
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
                          .orElseGet(
                              () -> AgentRun.failed(run, "its result is gone", RunStats.NONE)),
                      Optional.empty()));
    }
  }
}
