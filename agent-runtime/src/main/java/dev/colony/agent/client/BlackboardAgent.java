package dev.colony.agent.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunHandle;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.directory.AgentStatus;
import dev.colony.agent.directory.ListedAgent;
import dev.colony.agent.session.BlackboardSessions;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.LifecycleSignal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * An agent behind its scope on the blackboard.
 *
 * @param origin the run on whose behalf it is used
 */
record BlackboardAgent(
    AgentId id,
    Blackboards blackboards,
    AgentDirectory directory,
    ClientSettings settings,
    Optional<ExecutionContext> origin)
    implements AgentHandle {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  @Override
  public RunHandle run(JsonNode input, RunOptions options) {
    int size = input.toString().getBytes(StandardCharsets.UTF_8).length;
    if (size > settings.maxInputBytes()) {
      throw new IllegalArgumentException(
          "the input is "
              + size
              + " bytes, more than "
              + settings.maxInputBytes()
              + ": keep it on the blackboard and name it");
    }
    RunId runId = options.runId().orElseGet(RunId::random);
    RunRequest request =
        new RunRequest(
            context(runId, options),
            options.namespace(),
            input,
            options.requestedBy(),
            Instant.now());
    Blackboard board = board(options);
    Write write =
        Write.of(PROTOCOL.requestKey(id.name(), runId.value()), request.toJson()).ifAbsent();
    CompletionStage<WriteResult> sent =
        admitted(request).thenCompose(admitted -> board.send(write, id.persistenceId()));
    return new BlackboardRun(runId, board, sent, options.timeout(), settings.poll());
  }

  private ExecutionContext context(RunId runId, RunOptions options) {
    ExecutionContext inherited =
        origin.map(run -> run.sets(runId)).orElseGet(() -> ExecutionContext.of(id, runId));
    return options.session().map(inherited::session).orElse(inherited);
  }

  /** The node asks the session again; asking here says at once that it is closed. */
  private CompletionStage<Void> admitted(RunRequest request) {
    if (request.context().session().isEmpty()) {
      return CompletableFuture.completedStage(null);
    }
    return new BlackboardSessions(blackboards, id.tenant(), id.colony(), InstantSource.system())
        .admit(id, request)
        .thenAccept(refusal ->
            refusal.ifPresent(why -> {
              throw AgentException.refused(why);
            }));
  }

  @Override
  public RunHandle attach(RunId runId, RunOptions options) {
    CompletionStage<WriteResult> before =
        CompletableFuture.completedStage(new WriteResult.VersionConflict(1));
    return new BlackboardRun(runId, board(options), before, options.timeout(), settings.poll());
  }

  @Override
  public CompletionStage<Optional<AgentRun>> ended(RunId runId, RunOptions options) {
    return board(options)
        .read(PROTOCOL.resultKey(runId.value()))
        .thenApply(found -> found.map(entry -> AgentRun.fromJson(entry.value())));
  }

  @Override
  public CompletionStage<Void> cancel(RunId runId, RunOptions options, String reason) {
    return tell(
        new AgentSignal.CancelRun(id, options.namespace(), runId, reason), options.requestedBy());
  }

  @Override
  public CompletionStage<Void> stop(String reason) {
    return tell(LifecycleSignal.STOP, reason);
  }

  @Override
  public CompletionStage<Void> suspend(String reason) {
    return tell(new AgentSignal.Suspend(id, Optional.empty(), reason), who());
  }

  @Override
  public CompletionStage<Void> suspend(String reason, ResumptionCondition until) {
    return tell(new AgentSignal.Suspend(id, Optional.of(until), reason), who());
  }

  @Override
  public CompletionStage<Void> signal(String name, String reason) {
    return tell(new AgentSignal.Custom(id, name, reason), who());
  }

  @Override
  public CompletionStage<Void> approve(String request, String by, String note) {
    return tell(new AgentSignal.Approve(id, request, true, by, note), who());
  }

  @Override
  public CompletionStage<Void> deny(String request, String by, String note) {
    return tell(new AgentSignal.Approve(id, request, false, by, note), who());
  }

  @Override
  public CompletionStage<Void> resume(String reason) {
    return tell(LifecycleSignal.RESUME, reason);
  }

  @Override
  public CompletionStage<Optional<AgentStatus>> state() {
    return directory.look(id).thenApply(found -> found.map(ListedAgent::status));
  }

  private CompletionStage<Void> tell(LifecycleSignal signal, String reason) {
    return tell(new AgentSignal.Told(id, signal, reason), who());
  }

  private String who() {
    return origin.map(run -> run.run().value()).orElse("client");
  }

  private CompletionStage<Void> tell(AgentSignal.Given signal, String who) {
    return blackboards
        .open(signal.scope(), who)
        .send(signal.write(), id.persistenceId())
        .thenAccept(written -> {});
  }

  private Blackboard board(RunOptions options) {
    return blackboards.open(id.scope().namespace(options.namespace()), options.requestedBy());
  }
}
