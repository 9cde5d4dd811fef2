package dev.colony.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.protocol.LifecycleSignal;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.AgentDirectory.ListedAgent;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory;
import dev.colony.client.history.AgentHistory.Forking;
import dev.colony.client.session.BlackboardRunRecorder;
import dev.colony.core.dispatch.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An agent behind its scope on the blackboard.
 *
 * @param homes where forks are to live
 * @param history throws {@link AgentException} where the journal cannot be reached
 * @param origin the run on whose behalf it is used
 */
record BlackboardAgent(
    AgentId id,
    Blackboards blackboards,
    AgentDirectory directory,
    HomeResolver homes,
    ClientSettings settings,
    Supplier<AgentHistory> history,
    Optional<ExecutionContext> origin)
    implements AgentHandle {

  /** Between two requests for a run while as many as may wait for its agent, tenant or bucket. */
  private static final Backoff FULL = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

  /** Between two looks whether a run's result is taken back. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  /** How long a run is asked for again where the caller does not say. */
  private static final Duration GIVE_UP = Duration.ofMinutes(1);

  @Override
  public <T> T ask(String text, Class<T> type) {
    return TypedAnswer.of(this, text, type);
  }

  @Override
  public RunHandle run(Object value, RunOptions options) {
    JsonNode input = settings.input(value);
    RunPlace place = place(RunPlace.runId(id, options), options);
    RunRequest request =
        new RunRequest(
            context(place.runId(), options),
            options.namespace(),
            input,
            options.requestedBy(),
            blackboards.clock().instant());
    Blackboard board = board(place, options);
    return new BlackboardRun(
        place,
        board,
        new ReplyTopics(blackboards.topics()),
        asked(place, board, request, options),
        Optional.of(() -> asked(place, board, request, options)),
        options.timeout(),
        settings);
  }

  private CompletionStage<StoredRun> asked(
      RunPlace place, Blackboard board, RunRequest request, RunOptions options) {
    Optional<SessionId> session = request.context().session();
    Deadline until = Deadline.in(ClientSettings.patience(options, GIVE_UP));
    if (session.isEmpty()) {
      return stored(place, board, request, until, 0);
    }
    // A run that was asked for before is not admitted to another session.
    return requests()
        .before(place, board, request)
        .thenCompose(before ->
            before.isPresent() && !before.get().refused()
                ? CompletableFuture.completedStage(before.get())
                : admitted(place, request)
                    .thenCompose(admitted -> stored(place, board, request, until, 0)));
  }

  /** Asks again while too many requests wait, until the caller gives up. */
  private CompletionStage<StoredRun> stored(
      RunPlace place, Blackboard board, RunRequest request, Deadline until, int attempt) {
    return requests()
        .ask(place, board, request)
        .exceptionallyCompose(failure -> {
          Duration pause = FULL.delay(attempt);
          boolean full =
              Backoff.cause(failure) instanceof BlackboardException refused && refused.full();
          return full && until.allows(pause)
              ? CompletableFuture.supplyAsync(
                      () -> stored(place, board, request, until, attempt + 1),
                      CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS))
                  .thenCompose(again -> again)
              : CompletableFuture.failedStage(failure);
        });
  }

  private ExecutionContext context(RunId runId, RunOptions options) {
    ExecutionContext inherited =
        origin.map(run -> run.sets(runId)).orElseGet(() -> ExecutionContext.of(id, runId));
    ExecutionContext bounded = options.budget().map(inherited::budget).orElse(inherited);
    ExecutionContext traced = options.traceparent().map(bounded::traceparent).orElse(bounded);
    return options.session().map(traced::session).orElse(traced);
  }

  /** The node asks the session again; asking here says at once that it is closed. */
  private CompletionStage<Void> admitted(RunPlace place, RunRequest request) {
    return BlackboardRunRecorder.admit(blackboards, id, request, place.ownRun())
        .thenAccept(why ->
            why.ifPresent(one -> {
              throw AgentException.refused(one);
            }));
  }

  @Override
  public RunHandle attach(RunId runId, RunOptions options) {
    RunPlace place = place(runId, options);
    Blackboard board = board(place, options);
    return new BlackboardRun(
        place,
        board,
        new ReplyTopics(blackboards.topics()),
        requests().find(place, board, settings.poll()),
        Optional.empty(),
        options.timeout(),
        settings);
  }

  @Override
  public CompletableFuture<Optional<AgentRun>> ended(RunId runId, RunOptions options) {
    RunPlace place = place(runId, options);
    return StoredRun.read(place, board(place, options))
        .thenApply(StoredRun::end)
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Void> cancel(RunId runId, RunOptions options, String reason) {
    RunPlace place = place(runId, options);
    place.checkCancellable();
    return tell(AgentSignal.cancel(id, options.namespace(), runId, reason), options.requestedBy());
  }

  @Override
  public CompletableFuture<Void> stop(String reason) {
    return tell(LifecycleSignal.STOP, reason);
  }

  @Override
  public CompletableFuture<Void> suspend(String reason) {
    return tell(LifecycleSignal.SUSPEND, reason);
  }

  @Override
  public CompletableFuture<Void> suspend(String reason, ResumptionCondition until) {
    AgentSignal.Wanted asked = AgentSignal.suspend(id, Optional.of(until), reason);
    return StartPositions.anchored(blackboards, id, until)
        .thenCompose(
            anchored -> tell(AgentSignal.suspend(id, Optional.of(anchored), asked.reason()), who()))
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Void> signal(String name, String reason) {
    return tell(new AgentSignal.Custom(id, name, reason), who());
  }

  @Override
  public CompletableFuture<Void> approve(String request, String by, String note) {
    return tell(AgentSignal.approve(id, request, true, by, note), who());
  }

  @Override
  public CompletableFuture<Void> deny(String request, String by, String note) {
    return tell(AgentSignal.approve(id, request, false, by, note), who());
  }

  @Override
  public CompletableFuture<List<PendingApproval>> pending() {
    return past(history -> history.now(id))
        .thenApply(agent -> agent.map(AgentView::pending).orElse(List.of()));
  }

  @Override
  public CompletableFuture<Void> revise(BlueprintChange change, String reason) {
    change.blueprint().ifPresent(whole -> whole.check(id));
    change.added().forEach(capability -> capability.scopeFor(id));
    return tell(AgentSignal.revise(id, change, reason), who());
  }

  @Override
  public CompletableFuture<Integer> rewind(RunId run, int step, String reason) {
    if (origin.isPresent()) {
      throw AgentException.refused("run " + origin.get().run() + " may not rewind runs of " + id);
    }
    return past(history -> history.nextAttempt(id, run, step))
        .thenCompose(next -> {
          RunPlace place = RunPlace.of(id, next.request().namespace(), run);
          Blackboard board = blackboards.open(place.scope(), who());
          return StoredRun.read(place, board)
              .thenCompose(before ->
                  tell(AgentSignal.rewind(id, run, step, next.number(), reason), who())
                      .thenCompose(
                          told -> withdrawn(place, board, before.result(), Deadline.in(GIVE_UP))))
              .thenApply(done -> next.number());
        });
  }

  /** Waits until the result of before is taken back, which whoever asks for one would be given. */
  private CompletionStage<Void> withdrawn(
      RunPlace place, Blackboard board, Optional<Entry> before, Deadline until) {
    return StoredRun.read(place, board)
        .thenCompose(now -> {
          if (before.isEmpty()
              || !now.result().map(Entry::position).equals(before.map(Entry::position))) {
            return CompletableFuture.completedStage(null);
          }
          if (until.passed()) {
            throw new AgentException(
                "%s is told to rewind run %s, and has not taken it yet"
                    .formatted(id, place.runId()),
                null,
                true);
          }
          return CompletableFuture.supplyAsync(
                  () -> withdrawn(place, board, before, until),
                  CompletableFuture.delayedExecutor(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS))
              .thenCompose(again -> again);
        });
  }

  @Override
  public CompletableFuture<Void> resume(String reason) {
    return tell(LifecycleSignal.RESUME, reason);
  }

  @Override
  public CompletableFuture<Optional<AgentStatus>> state() {
    return directory
        .look(id)
        .thenApply(found -> found.map(ListedAgent::status))
        .toCompletableFuture()
        .thenCompose(known ->
            known.filter(status -> !lasting(status.state())).isPresent()
                ? past(history -> history.now(id)).handle((now, unread) -> latest(known, now))
                : CompletableFuture.completedFuture(known));
  }

  /** Whether the directory is told of each change of such a state. */
  private static boolean lasting(AgentState state) {
    return state.terminal() || state == AgentState.SUSPENDED;
  }

  /** Of runs that begin and end only the journal tells; where it cannot be read, what is known. */
  private static Optional<AgentStatus> latest(
      Optional<AgentStatus> known, Optional<AgentView> now) {
    return now == null || now.isEmpty() || now.get().state() == known.orElseThrow().state()
        ? known
        : Optional.of(
            new AgentStatus(now.get().state(), now.get().reason(), known.orElseThrow().since()));
  }

  @Override
  public CompletableFuture<HistoryPage> history(Optional<HistoryPosition> before, int count) {
    return past(history -> history.older(id, before, count, AgentHistory.Wanted.ALL));
  }

  @Override
  public CompletableFuture<StateAt> at(long sequenceNr) {
    return past(history -> history.at(id, sequenceNr));
  }

  @Override
  public CompletableFuture<ForkReply> fork(long sequenceNr, String name) {
    if (origin.isPresent()) {
      throw AgentException.refused(
          "run " + origin.get().run() + " may not fork " + id + ": it spawns children only");
    }
    AgentId fork = new AgentId(id.tenant(), id.colony(), name);
    return past(history -> new Forking(directory, history, homes).fork(id, sequenceNr, fork));
  }

  /**
   * The way to the journal may have to be made first, which blocks. Not on the common pool: there
   * Lettuce ends the handshake with a server that wants a password.
   */
  private <T> CompletableFuture<T> past(Function<AgentHistory, CompletionStage<T>> read) {
    Executor connecting = task -> Thread.ofVirtual().name("agent-history").start(task);
    return CompletableFuture.supplyAsync(history, connecting).thenCompose(read);
  }

  private CompletableFuture<Void> tell(LifecycleSignal signal, String reason) {
    return tell(AgentSignal.lifecycle(id, signal, reason), who());
  }

  private String who() {
    return origin.map(run -> run.run().value()).orElse("client");
  }

  private CompletableFuture<Void> tell(AgentSignal.Given signal, String who) {
    return requests()
        .exists(id)
        .thenCompose(there ->
            blackboards
                .open(signal.scope(), who)
                .send(signal.write().ttl(settings.keepSignals()), id.persistenceId()))
        .thenAccept(written -> {})
        .toCompletableFuture();
  }

  private RunRequests requests() {
    return new RunRequests(directory);
  }

  private RunPlace place(RunId runId, RunOptions options) {
    return RunPlace.of(
        id, runId, options, options.session().or(() -> origin.flatMap(ExecutionContext::session)));
  }

  private Blackboard board(RunPlace place, RunOptions options) {
    return blackboards.open(place.scope(), options.requestedBy());
  }
}
