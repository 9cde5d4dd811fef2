package dev.colony.client.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.BlackboardException;
import dev.colony.client.ClientSettings;
import dev.colony.client.RunPlace;
import dev.colony.client.TypedAnswer;
import dev.colony.client.http.ColonyApi.ApiCall;
import dev.colony.client.http.ColonyApi.Patience;
import dev.colony.client.http.HttpColony.AgentUrl;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.RequestBody.RunRequestBody;
import dev.colony.client.wire.RunAddress;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.PendingApprovals;
import dev.colony.client.wire.WireJson.RunAttempt;
import dev.colony.client.wire.WireJson.RunState;
import dev.colony.core.dispatch.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * An agent behind the API.
 *
 * @param origin the run on whose behalf it is used
 */
record HttpAgent(
    AgentId id, ColonyApi api, ClientSettings settings, Optional<ExecutionContext> origin)
    implements AgentHandle {

  /** Entries of a history that are asked for at once. */
  private static final int PAGE = 100;

  @Override
  public <T> T ask(String text, Class<T> type) {
    return TypedAnswer.of(this, text, type);
  }

  @Override
  public RunHandle run(Object value, RunOptions options) {
    options
        .budget()
        .ifPresent(most -> {
          throw AgentException.refused("over HTTP a run takes no budget of what it sets off");
        });
    JsonNode input = settings.input(value);
    RunPlace place = place(RunPlace.runId(id, options), options);
    RunRequestBody order = RunRequestBody.of(input, options, place.runId(), origin);
    Supplier<CompletionStage<Void>> request =
        () ->
            api.call(
                    new ApiCall(
                        "POST",
                        AgentUrl.agent(id) + "/runs",
                        Map.of(),
                        Optional.of(order.toJson()),
                        Duration.ZERO,
                        options
                            .traceparent()
                            .or(() -> origin.flatMap(ExecutionContext::traceparent))),
                    Patience.of(ClientSettings.patience(options, api.bounds().giveUp())))
                .handle((done, failure) -> {
                  if (failure != null) {
                    throw notStored(place.runId(), Backoff.cause(failure));
                  }
                  return null;
                });
    return HttpRun.asked(place, api, call(place.runId(), options), request, options.timeout());
  }

  @Override
  public RunHandle attach(RunId runId, RunOptions options) {
    RunPlace place = place(runId, options);
    return HttpRun.attached(place, api, call(runId, options), options.timeout());
  }

  @Override
  public CompletableFuture<Optional<AgentRun>> ended(RunId runId, RunOptions options) {
    place(runId, options);
    return api.find(call(runId, options))
        .thenApply(found -> found.map(HttpRun::state).flatMap(RunState::result))
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Void> cancel(RunId runId, RunOptions options, String reason) {
    place(runId, options).checkCancellable();
    RequestBody order =
        new RequestBody.Cancel(Optional.of(reason), Optional.of(options.requestedBy()));
    return api.tell(
            ApiCall.post(path(runId) + "/cancel", order.toJson())
                .query(RunAddress.parameters(inherited(options))))
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Void> stop(String reason) {
    return tell("/stop", new RequestBody.ForReason(Optional.of(reason)));
  }

  @Override
  public CompletableFuture<Void> suspend(String reason) {
    return tell("/suspend", new RequestBody.Suspend(Optional.of(reason), Optional.empty()));
  }

  @Override
  public CompletableFuture<Void> suspend(String reason, ResumptionCondition until) {
    until.check(id);
    return tell("/suspend", new RequestBody.Suspend(Optional.of(reason), Optional.of(until)));
  }

  @Override
  public CompletableFuture<Void> signal(String name, String reason) {
    new ResumptionCondition.Custom(name);
    return tell("/signals/" + name, new RequestBody.ForReason(Optional.of(reason)));
  }

  @Override
  public CompletableFuture<Void> approve(String request, String by, String note) {
    return answer(request, new RequestBody.Approval(true, by, Optional.of(note)));
  }

  @Override
  public CompletableFuture<Void> deny(String request, String by, String note) {
    return answer(request, new RequestBody.Approval(false, by, Optional.of(note)));
  }

  private CompletableFuture<Void> answer(String request, RequestBody.Approval word) {
    new ResumptionCondition.Approved(request);
    return tell("/approvals/" + request, word);
  }

  @Override
  public CompletableFuture<List<PendingApproval>> pending() {
    return api.find(ApiCall.get(AgentUrl.agent(id) + "/approvals"))
        .thenApply(found ->
            found
                .map(json -> WireJson.answer("pending approvals", json, PendingApprovals.class))
                .map(PendingApprovals::approvals)
                .orElse(List.of()))
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Void> revise(BlueprintChange change, String reason) {
    return tell("/revise", new RequestBody.Revise(Optional.of(reason), change));
  }

  @Override
  public CompletableFuture<Integer> rewind(RunId run, int step, String reason) {
    if (origin.isPresent()) {
      throw AgentException.refused("run " + origin.get().run() + " may not rewind runs of " + id);
    }
    RequestBody order = new RequestBody.Rewind(step, Optional.of(reason));
    return api.call(ApiCall.post(path(run) + "/rewind", order.toJson()))
        .thenApply(json -> WireJson.answer("attempt of a run", json, RunAttempt.class).attempt())
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Void> resume(String reason) {
    return tell("/resume", new RequestBody.ForReason(Optional.of(reason)));
  }

  @Override
  public CompletableFuture<Optional<AgentStatus>> state() {
    return api.find(ApiCall.get(AgentUrl.agent(id) + "/status"))
        .thenApply(found ->
            found.map(json -> WireJson.answer("status of an agent", json, AgentStatus.class)))
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<HistoryPage> history(Optional<HistoryPosition> before, int count) {
    ApiCall end =
        ApiCall.get(AgentUrl.agent(id) + "/history").query("limit", Math.min(count, PAGE));
    return api.call(before.map(place -> end.query("before", place.token())).orElse(end))
        .thenApply(json -> WireJson.answer("page of a history", json, HistoryPage.class))
        .thenCompose(page -> {
          int missing = count - page.entries().size();
          return missing <= 0 || page.older().isEmpty()
              ? CompletableFuture.completedStage(page)
              : history(page.older(), missing).thenApply(page::joined);
        })
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<StateAt> at(long sequenceNr) {
    return api.call(ApiCall.get(AgentUrl.agent(id) + "/history/" + sequenceNr))
        .thenApply(json -> WireJson.answer("state of an agent", json, StateAt.class))
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<ForkReply> fork(long sequenceNr, String name) {
    if (origin.isPresent()) {
      throw AgentException.refused(
          "run " + origin.get().run() + " may not fork " + id + ": it spawns children only");
    }
    RequestBody order = new RequestBody.Fork(sequenceNr, name);
    return api.call(ApiCall.post(AgentUrl.agent(id) + "/forks", order.toJson()))
        .thenApply(json -> WireJson.answer("reply to a fork", json, ForkReply.class))
        .toCompletableFuture();
  }

  private CompletableFuture<Void> tell(String what, RequestBody order) {
    return api.tell(ApiCall.post(AgentUrl.agent(id) + what, order.toJson())).toCompletableFuture();
  }

  private RunPlace place(RunId runId, RunOptions options) {
    return RunPlace.of(id, runId, options, inherited(options).session());
  }

  private RunOptions inherited(RunOptions options) {
    Optional<SessionId> session =
        options.session().or(() -> origin.flatMap(ExecutionContext::session));
    return session.map(options::session).orElse(options);
  }

  private ApiCall call(RunId runId, RunOptions options) {
    return ApiCall.get(path(runId)).query(RunAddress.parameters(inherited(options)));
  }

  private String path(RunId runId) {
    return AgentUrl.agent(id) + "/runs/" + runId;
  }

  private static RuntimeException notStored(RunId runId, Throwable cause) {
    return cause instanceof AgentException refused
        ? refused
        : new AgentException(
            "the request of run " + runId + " was not stored: " + cause.getMessage(),
            cause,
            cause instanceof BlackboardException board && board.retryable());
  }
}
