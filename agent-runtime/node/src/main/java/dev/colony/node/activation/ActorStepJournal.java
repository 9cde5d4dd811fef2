package dev.colony.node.activation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.step.StepJournal;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.Effects;
import dev.colony.core.retry.Backoff;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/** What an iteration makes durable goes to its agent's actor, and comes back when it is. */
final class ActorStepJournal implements StepJournal {

  private final String step;
  private final RunRequest request;
  private final ActionPolicyExecutionState state;
  private final RunEvents events;
  private final StepReports reports;
  private final CancellationToken token;
  private final InstantSource clock;
  private final Map<String, InferenceReply> replies;

  /**
   * @param step its name, the same whatever crashes
   * @param clock the cluster time
   */
  ActorStepJournal(
      String step,
      RunRequest request,
      ActiveRun run,
      ActionPolicyExecutionState state,
      RunEvents events,
      StepReports reports,
      CancellationToken token,
      InstantSource clock) {
    this.step = step;
    this.request = request;
    this.state = state;
    this.events = events;
    this.reports = reports;
    this.token = token;
    this.clock = clock;
    this.replies = new ConcurrentHashMap<>(run.replies());
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
    record(new AgentCommand.RecordReply(name, reply, paged, clock.instant()));
    replies.put(name, reply);
  }

  @Override
  public void intend(Action action, boolean retryable) {
    record(new AgentCommand.IntendAction(action, retryable, state.delta(), clock.instant()));
  }

  @Override
  public void emit(String name, JsonNode data) {
    token.check();
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
  public String idempotencyKey(String actionId) {
    return Effects.idempotencyKey(step, actionId);
  }

  private void record(AgentCommand command) {
    CompletableFuture<Void> durable = new CompletableFuture<>();
    reports.record(token, command, durable);
    try {
      token.await(durable);
    } catch (ExecutionException refused) {
      throw new IllegalStateException(Backoff.cause(refused).getMessage(), refused);
    }
  }
}
