package dev.colony.client.session;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunRequest;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.Session.SessionTotals;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Keeps the account of runs in the sessions' own scopes on a blackboard. */
public final class BlackboardRunRecorder implements RunRecorder {

  private static final String WRITER = "sessions";

  private final Blackboards blackboards;
  private final SessionSettings settings;
  private final InstantSource clock;

  public BlackboardRunRecorder(
      Blackboards blackboards, SessionSettings settings, InstantSource clock) {
    this.blackboards = blackboards;
    this.settings = settings;
    this.clock = clock;
  }

  @Override
  public CompletionStage<Optional<String>> admit(AgentId agent, RunRequest request) {
    return admit(blackboards, agent, request, true);
  }

  /**
   * Asks the session of a request whether it takes the run. A handle asks, so that its caller hears
   * at once of a session that is closed, and so does the node that delivers the request, since it
   * may have been written without a handle; what was admitted stays admitted.
   *
   * @param counts whether the run is to stand in the session; what a capability is asked for counts
   *     in the run in which the agent takes it
   * @return why it is refused, one line; empty where it is admitted, or asks for no session
   */
  public static CompletionStage<Optional<String>> admit(
      Blackboards blackboards, AgentId agent, RunRequest request, boolean counts) {
    ExecutionContext context = request.context();
    if (context.session().isEmpty()) {
      return CompletableFuture.completedStage(Optional.empty());
    }
    if (!context.covers(agent.scope())) {
      return CompletableFuture.completedStage(
          Optional.of(
              "the request is of %s/%s, the agent is %s"
                  .formatted(context.tenant(), context.colony(), agent)));
    }
    SessionLedger ledger =
        new SessionLedger(
            blackboards, agent.tenant(), agent.colony(), context.session().get(), WRITER);
    return counts ? ledger.admit(agent, request) : ledger.refusal();
  }

  @Override
  public CompletionStage<Void> ended(AgentId agent, RunRequest request, AgentRun run) {
    Optional<SessionId> asked =
        request.context().covers(agent.scope()) ? request.context().session() : Optional.empty();
    Optional<SessionId> session = asked.or(run::sessionId);
    if (session.isEmpty()) {
      return CompletableFuture.completedStage(null);
    }
    Instant now = clock.instant();
    SessionLedger ledger = ledger(session.get(), agent);
    CompletionStage<Void> there =
        asked.isPresent()
            ? CompletableFuture.completedStage(null)
            : opened(ledger, session.get(), agent, now);
    return there.thenCompose(
        done -> ledger.ended(agent, request, run, asked.isEmpty(), now, settings.keepRuns()));
  }

  /** A session that an event brought along need not have been opened before. */
  private CompletionStage<Void> opened(
      SessionLedger ledger, SessionId id, AgentId agent, Instant now) {
    Session opening =
        new Session(id, agent.persistenceId(), now, Optional.empty(), SessionTotals.NONE);
    return ledger.open(opening).thenCompose(sessions(agent)::enter);
  }

  private BlackboardSessions sessions(AgentId agent) {
    return new BlackboardSessions(blackboards, agent.tenant(), agent.colony(), clock);
  }

  private SessionLedger ledger(SessionId session, AgentId agent) {
    return new SessionLedger(
        blackboards, agent.tenant(), agent.colony(), session, agent.persistenceId());
  }

  /** How long sessions and their runs are kept. */
  @Section("colony.agent.session")
  public record SessionSettings(
      @Range(min = "100 ms", max = "36500 d") Duration keepRuns,
      @Range(min = "100 ms", max = "36500 d") Duration keep) {}
}
