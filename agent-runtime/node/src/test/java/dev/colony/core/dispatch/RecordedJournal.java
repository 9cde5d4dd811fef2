package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.StepJournal;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;

/** A journal that a test looks into, and cancels. */
final class RecordedJournal implements StepJournal {

  record Intent(Action action, boolean retryable) {}

  record Emitted(String name, JsonNode data) {}

  final List<Intent> intents = new CopyOnWriteArrayList<>();
  final List<Emitted> emitted = new CopyOnWriteArrayList<>();
  final List<ActionCall> ended = new CopyOnWriteArrayList<>();
  final List<String> used = new CopyOnWriteArrayList<>();

  /** What an execution before a crash has left. */
  final Map<String, ActionCall> endedBefore = new HashMap<>();

  final Map<String, Begun> begunBefore = new HashMap<>();
  final List<String> usedBefore = new ArrayList<>();
  private final List<Runnable> onCancel = new ArrayList<>();
  private boolean cancelled;

  @Override
  public Optional<InferenceReply> answered(String name) {
    return Optional.empty();
  }

  @Override
  public void asking(String name, long promptTokens) {
    throw new AssertionError("no model is asked here");
  }

  @Override
  public void failed(String name, Usage usage) {
    throw new AssertionError("no model is asked here");
  }

  @Override
  public void answered(String name, InferenceReply reply, boolean paged) {
    throw new AssertionError("no model is asked here");
  }

  @Override
  public void intend(Action action, boolean retryable) {
    alive();
    intents.add(new Intent(action, retryable));
  }

  @Override
  public void begin(Action action, boolean retryable, Optional<String> approval) {
    alive();
    intents.add(new Intent(action, retryable));
    approval.ifPresent(used::add);
  }

  @Override
  public ActionResult end(Action action, ActionResult result, Optional<String> approval) {
    alive();
    ended.add(new ActionCall(action, result));
    return result;
  }

  @Override
  public Optional<ActionCall> ended(String actionId) {
    return Optional.ofNullable(endedBefore.get(actionId));
  }

  @Override
  public Optional<Begun> begun(String actionId) {
    return Optional.ofNullable(begunBefore.get(actionId));
  }

  @Override
  public List<String> approvals() {
    return usedBefore;
  }

  @Override
  public void emit(String name, JsonNode data) {
    alive();
    emitted.add(new Emitted(name, data));
  }

  private void alive() {
    if (cancelled()) {
      throw new CancellationException("the agent has left");
    }
  }

  /** The agent leaves the node. */
  void cancel() {
    List<Runnable> all;
    synchronized (this) {
      cancelled = true;
      all = List.copyOf(onCancel);
    }
    all.forEach(Runnable::run);
  }

  @Override
  public synchronized boolean cancelled() {
    return cancelled;
  }

  @Override
  public void onCancel(Runnable action) {
    boolean now;
    synchronized (this) {
      now = cancelled;
      onCancel.add(action);
    }
    if (now) {
      action.run();
    }
  }

  @Override
  public String idempotencyKey(String actionId) {
    return "acme/lab/a1/r1/0/" + actionId;
  }
}
