package dev.colony.node.activation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.StepJournal;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.Effects;
import dev.colony.core.lifecycle.Intent.Intended;
import dev.colony.core.lifecycle.Rewound;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.lifecycle.StepActions;
import dev.colony.core.lifecycle.StepRecords;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What an iteration makes durable goes to its agent's actor, and comes back when it is.
 *
 * <p>A model's reply alone is not waited for, so that it takes no append of its own: it is held
 * back and goes with what the iteration makes durable next, which is as a rule the outcome of its
 * action. It goes alone, and is waited for, before another model call, a wait, or anything that
 * others see ({@link #flush}); and it goes alone after {@link #HELD}, for an action that takes
 * long. A crash before that has the model asked again under the same key.
 */
final class ActorStepJournal implements StepJournal {

  private final String step;
  private final RunRequest request;
  private final ActionPolicyExecutionState state;
  private final RunEvents events;
  private final StepRunner.StepReports reports;
  private final CancellationToken token;
  private final InstantSource clock;
  private final Map<String, InferenceReply> replies;
  private final StepActions before;

  /** The keys of actions that an earlier attempt has executed, too, by their ids. */
  private final Map<String, String> keys = new ConcurrentHashMap<>();

  /** What an earlier attempt has done and that has not come up again. */
  private Optional<Rewound> rewound;

  private final RunLimits limits;
  private final Anchor anchor;

  /** How long a reply is held back, but for the tick of the node's timer. */
  static final Duration HELD = Duration.ofMillis(5);

  /**
   * Held until a record of an action is durable, so that whether the next one fits in is decided by
   * what is journaled then; the actor writes one record at a time, too.
   */
  private final ReentrantLock order = new ReentrantLock();

  /** Guarded by {@link #order}. */
  private StepActions actions;

  /**
   * The reply that no append has been asked for yet. What goes to the actor goes under this
   * object's monitor, so that nothing overtakes the reply that it may follow from.
   */
  private Optional<AgentCommand.RecordReply> held = Optional.empty();

  /** The last reply that went alone. */
  private CompletableFuture<Void> alone = CompletableFuture.completedFuture(null);

  private Runnable forgetTimer = () -> {};

  /** Has what an action waits for begin where it asks for it. Blocks. */
  @FunctionalInterface
  interface Anchor {
    ActionResult anchored(ActionResult result) throws ExecutionException;
  }

  /**
   * @param step its name, the same whatever crashes
   * @param clock the cluster time
   * @param limits of the agent's work
   */
  ActorStepJournal(
      String step,
      RunRequest request,
      ActiveRun run,
      ActionPolicyExecutionState state,
      RunEvents events,
      StepRunner.StepReports reports,
      CancellationToken token,
      InstantSource clock,
      RunLimits limits,
      Anchor anchor) {
    this.step = step;
    this.request = request;
    this.state = state;
    this.events = events;
    this.reports = reports;
    this.token = token;
    this.clock = clock;
    this.replies = new ConcurrentHashMap<>(run.replies());
    this.before = run.actions();
    this.actions = run.actions();
    this.limits = limits;
    this.anchor = anchor;
    this.rewound = run.rewound();
    run.intended().map(Intended::action).ifPresent(this::done);
    run.actions().begun().values().stream()
        .map(StepActions.Begun::action)
        .sorted(Comparator.comparing(Action::actionId))
        .forEach(this::done);
  }

  @Override
  public Optional<InferenceReply> answered(String name) {
    token.check();
    return Optional.ofNullable(replies.get(name));
  }

  @Override
  public void asking(String name, long promptTokens) {
    record(new AgentCommand.RecordAsking(name, promptTokens, clock.instant()));
  }

  @Override
  public void failed(String name, Usage usage) {
    record(new AgentCommand.RecordFailure(name, usage, clock.instant()));
  }

  @Override
  public void answered(String name, InferenceReply reply, boolean paged) {
    AgentCommand.RecordReply answer =
        new AgentCommand.RecordReply(name, reply, paged, clock.instant());
    StepRecords.fault(answer, limits)
        .ifPresent(why -> {
          throw new IllegalStateException(why);
        });
    synchronized (this) {
      token.check();
      if (replies.putIfAbsent(name, reply) != null) {
        throw new IllegalStateException("the call " + name + " of this step is answered already");
      }
      goAlone();
      held = Optional.of(answer);
      forgetTimer = reports.later(HELD, this::goAlone);
    }
  }

  /** Blocks until the reply that is held back is durable. */
  void flush() {
    CompletableFuture<Void> reply;
    synchronized (this) {
      goAlone();
      reply = alone;
    }
    await(reply);
  }

  private synchronized void goAlone() {
    held.ifPresent(this::goAlone);
    release();
  }

  private synchronized void goAlone(AgentCommand.RecordReply reply) {
    alone = new CompletableFuture<>();
    reports.record(token, reply, alone);
  }

  /** A command with the reply that is held back, which is not any more. */
  private AgentCommand withReply(AgentCommand command) {
    AgentCommand both =
        held.<AgentCommand>map(reply -> new AgentCommand.WithReply(reply, command)).orElse(command);
    release();
    return both;
  }

  private void release() {
    held = Optional.empty();
    forgetTimer.run();
    forgetTimer = () -> {};
  }

  /** The iteration has come to this. */
  synchronized void complete(AgentCommand.CompleteStep outcome) {
    reports.ended(token, withReply(outcome));
  }

  @Override
  public void intend(Action action, boolean retryable) {
    record(new AgentCommand.IntendAction(action, retryable, state.delta(), clock.instant()));
  }

  @Override
  public void begin(Action action, boolean retryable, Optional<String> approval) {
    order.lock();
    try {
      record(new AgentCommand.BeginAction(action, retryable, approval, clock.instant()));
      actions = actions.begun(new StepActions.Begun(action, retryable, 0), approval);
    } finally {
      order.unlock();
    }
  }

  @Override
  public ActionResult end(Action action, ActionResult result, Optional<String> approval) {
    ActionCall told = new ActionCall(action, anchored(result));
    order.lock();
    try {
      ActionCall call = actions.fitting(told, limits);
      record(new AgentCommand.EndAction(call, approval, clock.instant()));
      actions = actions.ended(call, approval);
      return call.result();
    } finally {
      order.unlock();
    }
  }

  private ActionResult anchored(ActionResult result) {
    try {
      return anchor.anchored(result);
    } catch (ExecutionException failed) {
      throw new IllegalStateException(Backoff.cause(failed).getMessage(), failed);
    }
  }

  @Override
  public Optional<ActionCall> ended(String actionId) {
    token.check();
    return before.ended().call(actionId);
  }

  @Override
  public Optional<Begun> begun(String actionId) {
    return Optional.ofNullable(before.begun().get(actionId))
        .map(open -> new Begun(open.action(), open.retryable()));
  }

  @Override
  public List<String> approvals() {
    return List.copyOf(before.approvals().values());
  }

  @Override
  public void emit(String name, JsonNode data) {
    token.check();
    flush();
    events.emit(request, name, data, token);
  }

  @Override
  public boolean cancelled() {
    return token.cancelled();
  }

  @Override
  public void onCancel(Runnable action) {
    token.onCancel(action);
  }

  @Override
  public synchronized Optional<ActionResult> done(Action action) {
    Optional<Rewound.Deed> deed = rewound.flatMap(past -> past.deed(action));
    rewound = rewound.map(past -> deed.map(past::without).orElse(past));
    deed.ifPresent(one -> keys.put(action.actionId(), one.key()));
    return deed.filter(Rewound.Deed::settled).map(one -> one.result().as(action.actionId()));
  }

  @Override
  public String idempotencyKey(String actionId) {
    return Optional.ofNullable(keys.get(actionId))
        .orElseGet(() -> Effects.idempotencyKey(step, actionId));
  }

  private void record(AgentCommand command) {
    CompletableFuture<Void> durable = new CompletableFuture<>();
    AgentCommand sent;
    synchronized (this) {
      sent = withReply(command);
      reports.record(token, sent, durable);
    }
    try {
      await(durable);
    } catch (IllegalStateException refused) {
      // A reply stands though what it went with does not.
      if (sent instanceof AgentCommand.WithReply both) {
        goAlone(both.reply());
      }
      throw refused;
    }
  }

  private void await(CompletableFuture<Void> durable) {
    try {
      token.await(durable);
    } catch (ExecutionException refused) {
      throw new IllegalStateException(Backoff.cause(refused).getMessage(), refused);
    }
  }

  /**
   * What a run makes known while it goes on.
   *
   * @param keep how long each is kept
   */
  record RunEvents(AgentId agent, Blackboards blackboards, Duration keep, Backoff backoff) {

    private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

    /**
     * Blocks until it is stored.
     *
     * @throws CancellationException if the work is cancelled or the caller interrupted meanwhile
     */
    void emit(RunRequest run, String name, JsonNode data, CancellationToken token) {
      Blackboard board =
          blackboards.open(agent.scope().namespace(run.namespace()), agent.persistenceId());
      Write write = Write.of(PROTOCOL.eventKey(run.runId().value(), name), data).ttl(keep);
      CompletableFuture<WriteResult> stored =
          backoff
              .repeat(
                  "making an event of run " + run.runId() + " known",
                  token::cancelled,
                  () -> board.write(write))
              .toCompletableFuture();
      try {
        token.await(stored);
      } catch (ExecutionException failed) {
        throw Backoff.cause(failed) instanceof RuntimeException cause
            ? cause
            : new IllegalStateException(failed);
      }
    }
  }
}
