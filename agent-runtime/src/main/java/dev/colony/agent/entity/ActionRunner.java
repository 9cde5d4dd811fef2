package dev.colony.agent.entity;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ActionContext;
import dev.colony.agent.ActionExecutor;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.lifecycle.AgentCommand;
import dev.colony.agent.lifecycle.JsonSize;
import dev.colony.agent.lifecycle.Work;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Executes actions, each on a virtual thread of its own. */
final class ActionRunner {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final Executor threads;
  private final Blackboards blackboards;
  private final Backoff backoff;
  private final int maxResultBytes;

  ActionRunner(Executor threads, Blackboards blackboards, Backoff backoff, int maxResultBytes) {
    this.threads = threads;
    this.blackboards = blackboards;
    this.backoff = backoff;
    this.maxResultBytes = maxResultBytes;
  }

  /** Starts an action; the outcome comes as the command to give to the agent, on any thread. */
  void start(
      AgentId agent,
      Work.Execute work,
      ActionExecutor executor,
      Running running,
      Consumer<AgentCommand> whenDone) {
    threads.execute(() -> {
      running.onCancel(Thread.currentThread()::interrupt);
      ActionOutcome outcome = outcome(new Context(agent, work, running), work, executor);
      running.onCancel(() -> {});
      whenDone.accept(new AgentCommand.CompleteStep(outcome, Instant.now()));
    });
  }

  private ActionOutcome outcome(Context context, Work.Execute work, ActionExecutor executor) {
    String actionId = work.action().actionId();
    try {
      JsonNode result =
          backoff.repeat(
              work.action().key(), () -> executor.execute(context, work.action().params()));
      return result != null && JsonSize.exceeds(result, maxResultBytes)
          ? ActionOutcome.failed(actionId, "the result is larger than " + maxResultBytes + " bytes")
          : ActionOutcome.succeeded(actionId, result);
    } catch (Exception | LinkageError | StackOverflowError failure) {
      Throwable cause = Backoff.cause(failure);
      return ActionOutcome.failed(
          actionId, cause.getMessage() == null ? cause.toString() : cause.getMessage());
    }
  }

  private final class Context implements ActionContext {

    private final AgentId agent;
    private final Work.Execute work;
    private final Running running;

    Context(AgentId agent, Work.Execute work, Running running) {
      this.agent = agent;
      this.work = work;
      this.running = running;
    }

    @Override
    public AgentId agent() {
      return agent;
    }

    @Override
    public RunRequest request() {
      return work.request();
    }

    @Override
    public String idempotencyKey() {
      return work.idempotencyKey();
    }

    @Override
    public void emit(String name, JsonNode data) {
      RunRequest run = work.request();
      blackboards
          .open(agent.scope().namespace(run.namespace()), agent.persistenceId())
          .write(Write.of(PROTOCOL.eventKey(run.runId().value(), name), data))
          .toCompletableFuture()
          .join();
    }

    @Override
    public boolean cancelled() {
      return running.cancelled();
    }
  }
}
