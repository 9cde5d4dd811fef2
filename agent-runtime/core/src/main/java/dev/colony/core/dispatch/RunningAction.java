package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.StepJournal;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.clock.MonotonicClock;
import dev.colony.core.dispatch.Attempts.Failure;
import dev.colony.core.dispatch.ControlWatch.ActionControlProtocol;
import dev.colony.core.dispatch.ControlWatch.ActionControlProtocol.ActionControl;
import dev.colony.core.dispatch.ControlWatch.PauseGate;
import dev.colony.core.dispatch.Outputs.Waiting;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One execution of an action, all its attempts: what its code is given, and what stops it. After it
 * has been stopped nothing that its code still does is made known. Thread-safe.
 */
final class RunningAction implements ActionContext {

  private final Agent agent;
  private final RunRequest request;
  private final String actionId;
  private final StepJournal journal;
  private final DispatchSettings settings;
  private final PauseGate gate = new PauseGate(MonotonicClock.SYSTEM);
  private final CompletableFuture<Stop> stop = new CompletableFuture<>();
  private final long begunNanos = MonotonicClock.SYSTEM.nanos();
  private final long allowedNanos;

  /** Null until they are used: hardly any action does, and to make them costs more than most. */
  private Checkpoints checkpoints;

  private ControlWatch control;
  private boolean ended;

  RunningAction(
      Agent agent,
      RunRequest request,
      String actionId,
      StepJournal journal,
      DispatchSettings settings,
      Duration timeout) {
    this.agent = agent;
    this.request = request;
    this.actionId = actionId;
    this.journal = journal;
    this.settings = settings;
    this.allowedNanos = timeout.toNanos();
    journal.onCancel(() -> stop(Stop.LEFT));
  }

  private synchronized Checkpoints checkpoints() {
    if (checkpoints == null) {
      checkpoints =
          new Checkpoints(
              agent.blackboard(agent.id().scope().namespace(Checkpoints.NAMESPACE)),
              journal.idempotencyKey(actionId),
              DispatchSettings.KEPT);
    }
    return checkpoints;
  }

  private synchronized ControlWatch control() {
    if (control == null) {
      control =
          new ControlWatch(
              agent.blackboard(),
              new ActionControlProtocol().controlKey(request.runId(), actionId),
              this::told);
      if (ended) {
        control.end();
      }
    }
    return control;
  }

  private void told(ActionControl what) {
    switch (what) {
      case PAUSE -> gate.close();
      case RESUME -> gate.open();
      case CANCEL -> stop(Stop.CANCELLED);
    }
  }

  void stop(Stop why) {
    stop.complete(why);
    gate.openForGood();
  }

  CompletableFuture<Stop> stopped() {
    return stop;
  }

  /** What is left of its time, in nanoseconds; negative when that is over. */
  long leftNanos() {
    return gate.leftNanos(begunNanos, allowedNanos);
  }

  Duration age() {
    return Duration.ofNanos(MonotonicClock.SYSTEM.nanos() - begunNanos);
  }

  /** From now on it hears what it is told from outside. */
  void listen() {
    control().begin();
  }

  void end() {
    stop(Stop.LEFT);
    synchronized (this) {
      ended = true;
      if (control != null) {
        control.end();
      }
    }
  }

  /** Its outcome is known: there is no next execution. */
  synchronized void forgetCheckpoint() {
    if (checkpoints != null) {
      checkpoints.remove();
    }
  }

  @Override
  public Agent agent() {
    return agent;
  }

  @Override
  public RunRequest request() {
    return request;
  }

  @Override
  public String actionId() {
    return actionId;
  }

  @Override
  public IdempotencyKey idempotencyKey() {
    return new IdempotencyKey(journal.idempotencyKey(actionId));
  }

  @Override
  public void emit(String name, JsonNode data) {
    DispatchSettings.checkEvent(name, data);
    goesOn();
    journal.emit(name, data);
  }

  @Override
  public void progress(double done, String message) {
    if (!(done >= 0 && done <= 1)) {
      throw new IllegalArgumentException("progress goes from 0 to 1, not to " + done);
    }
    emit(
        "progress",
        JsonNodeFactory.instance
            .objectNode()
            .put("actionId", actionId)
            .put("done", done)
            .put("message", Failure.line(message)));
  }

  @Override
  public void checkpoint(JsonNode state) {
    DispatchSettings.bounded("the checkpoint", state, DispatchSettings.MAX_OUTPUT_BYTES);
    goesOn();
    try {
      checkpoints().store(state);
    } catch (Exception failure) {
      throw unstored(failure);
    }
  }

  @Override
  public Optional<JsonNode> lastCheckpoint() {
    try {
      return checkpoints().last();
    } catch (Exception failure) {
      throw unstored(failure);
    }
  }

  @Override
  public void pausePoint() throws InterruptedException {
    try {
      Waiting.on(control().begin());
    } catch (RuntimeException failure) {
      throw failure;
    } catch (Exception failure) {
      throw new AgentException(Failure.line(failure), failure, true);
    }
    gate.pass();
    goesOn();
  }

  @Override
  public boolean cancelled() {
    return stop.isDone() || journal.cancelled();
  }

  private void goesOn() {
    if (cancelled()) {
      throw new CancellationException("the action " + actionId + " was stopped");
    }
  }

  private static RuntimeException unstored(Exception failure) {
    return failure instanceof RuntimeException runtime
        ? runtime
        : new AgentException(Failure.line(failure), failure, true);
  }

  /** Why an action was stopped before its end. */
  enum Stop {
    TIMED_OUT,
    CANCELLED,
    /** The agent has left this node, or its run was cancelled. */
    LEFT
  }

  /**
   * Where one action has come to, kept under its idempotency key for its next execution: after a
   * crash, or a next attempt. Calls block; thread-safe.
   */
  static final class Checkpoints {

    /** The part of the agent's scope in which they stand. */
    static final String NAMESPACE = "checkpoints";

    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

    private final Blackboard board;
    private final String key;
    private final Duration kept;
    private Optional<JsonNode> last;

    Checkpoints(Blackboard board, String key, Duration kept) {
      this.board = board;
      this.key = key;
      this.kept = kept;
    }

    /** The last one of an earlier execution or attempt, as it was when this one first asked. */
    synchronized Optional<JsonNode> last() throws Exception {
      if (last == null) {
        last = Waiting.on(board.read(key)).map(Entry::value);
      }
      return last;
    }

    synchronized void store(JsonNode state) throws Exception {
      last();
      Waiting.on(board.write(Write.of(key, state).ttl(kept)));
      last = Optional.of(state);
    }

    /** The action is at its end. What cannot be removed now goes by itself. */
    synchronized void remove() {
      if (last != null && last.isPresent()) {
        board
            .delete(key)
            .exceptionally(failure -> {
              LOG.debug("a checkpoint stays until it expires: {}", Failure.line(failure));
              return false;
            });
      }
    }
  }
}
