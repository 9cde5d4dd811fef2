package dev.colony.node.activation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Blackboards;
import dev.colony.core.dispatch.LogNames;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Effects;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.Intent.Intended;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.lifecycle.StepSize.JsonSize;
import dev.colony.node.SpanListener;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Executes an agent's steps, each on a virtual thread of its own, and tells the actor what it came
 * to.
 *
 * <p>Agents' code may do what it likes: what it throws ends the run as failed, a thread that it
 * blocks is interrupted when the step is cancelled and left behind if it does not heed that, and
 * what such a thread does later is void, since neither its journal nor its answer is awaited. The
 * agent's next step waits for it within its run's time, so that an agent leaves one such thread
 * behind and not one a run. Only an error of the machine itself, such as the end of its memory,
 * goes to the actor and ends it.
 */
public final class StepRunner {

  /**
   * The step that is under way, and one that was left behind by code that heeds no interruption: an
   * agent that has left two waits for one of them, within its run's time.
   */
  private static final int THREADS = 2;

  private final AgentId agent;
  private final ActivationFactory.NodeServices services;
  private final Activation.Holder activations;
  private final ActorStepJournal.RunEvents events;
  private final StepReports reports;
  private final Optional<SpanListener> spans;
  private final Semaphore places = new Semaphore(THREADS);

  StepRunner(
      AgentId agent,
      ActivationFactory.NodeServices services,
      Activation.Holder activations,
      StepReports reports) {
    this.agent = agent;
    this.services = services;
    this.activations = activations;
    this.events =
        new ActorStepJournal.RunEvents(
            agent,
            services.ports().get(Blackboards.class),
            services.keepProgress(),
            services.backoff());
    this.reports = reports;
    this.spans = services.ports().find(SpanListener.class);
  }

  /** What a step came to. */
  private record Outcome(ActionPolicyIterationResult result, StepDelta delta) {}

  /** A step on its thread. */
  @FunctionalInterface
  private interface Body {
    Outcome run() throws Exception;
  }

  /**
   * Starts an iteration of the policy; returns at once.
   *
   * @param snapshot in which it begins
   * @param told what the step waits for: that what was known of its run before is made known
   * @param again whether it was begun before and cut off
   */
  public void iterate(
      AgentEffect.Iterate work,
      AgentSnapshot snapshot,
      CompletableFuture<Void> told,
      boolean again,
      CancellationToken token) {
    CurrentStep step =
        step(work.request(), work.name(), work.run(), work.memory(), snapshot, again, token);
    start(
        step,
        () -> {
          told(told, token);
          Activation activation = activations.enter(work.memory(), token);
          ActionPolicyIterationResult result = activation.iterate(step);
          if (result == null) {
            throw AgentException.refused("the policy returned nothing");
          }
          snapshots(activation, step.state());
          return new Outcome(anchored(step, with(step, result)), step.state().delta());
        });
  }

  /**
   * Starts the end of an external action that a crash cut off; returns at once.
   *
   * @param snapshot in which it begins
   * @param told as {@link #iterate} takes it
   */
  public void finish(
      AgentEffect.FinishIntended work,
      AgentSnapshot snapshot,
      CompletableFuture<Void> told,
      CancellationToken token) {
    ActiveRun run = snapshot.active().orElseThrow();
    Intended intended = work.intended();
    String name = Effects.stepName(agent, snapshot.queue().getFirst(), run);
    CurrentStep step = step(work.request(), name, run, snapshot.memory(), snapshot, true, token);
    step.state().repeat(intended.delta());
    start(
        step,
        () -> {
          told(told, token);
          Activation activation = activations.enter(snapshot.memory(), token);
          ActionResult result = activation.finish(step, intended.action(), intended.retryable());
          snapshots(activation, step.state());
          return new Outcome(
              anchored(step, ActionPolicyIterationResult.acted(intended.action(), result)),
              step.state().delta());
        });
  }

  /** Of the stage itself nothing may be cancelled, which others wait for, too. */
  private static void told(CompletableFuture<Void> told, CancellationToken token)
      throws ExecutionException {
    if (!told.isDone()) {
      token.await(told.copy());
    }
  }

  private InstantSource clock() {
    return services.ports().get(Blackboards.class).clock();
  }

  private CurrentStep step(
      RunRequest request,
      String name,
      ActiveRun run,
      DurableMemory memory,
      AgentSnapshot snapshot,
      boolean again,
      CancellationToken token) {
    RunLimits limits = services.limits();
    ActionPolicyExecutionState state =
        new ActionPolicyExecutionState(
            new ActionPolicyExecutionState.Given(
                request,
                run.stats().steps(),
                run.stats(),
                run.history(),
                run.custom(),
                run.events(),
                run.session(),
                memory,
                run.approvals(),
                limits.of(snapshot),
                Optional.of(limits.overAt(snapshot))));
    RunBudget budget = limits.of(snapshot.blueprint().orElseThrow().budget());
    return new CurrentStep(
        request,
        name,
        state,
        new ActorStepJournal(
            name,
            request,
            run,
            state,
            events,
            reports,
            token,
            clock(),
            limits,
            result ->
                result.until().isPresent()
                    ? result.until(anchored(token, result.until().get()))
                    : result),
        token,
        new CurrentStep.BudgetMeter(budget, limits.prices(), run.stats()),
        !run.actions().none(),
        again,
        limits.step().actions(),
        spans.flatMap(
            all -> StepSpans.of(all, clock(), agent, request, name, run.stats().steps())));
  }

  /** Starts making the activation, to know what the policy wants of events; returns at once. */
  public void learn(DurableMemory memory, CancellationToken token) {
    services
        .threads()
        .execute(
            LogNames.of(agent)
                .on(() -> {
                  Runnable forget = token.onCancel(Thread.currentThread()::interrupt);
                  try {
                    // Who makes the policy says what it wants.
                    activations.enter(memory, token);
                  } catch (StackOverflowError unfit) {
                    unfit(token);
                  } catch (VirtualMachineError broken) {
                    reports.broken(broken);
                  } catch (Throwable unfit) {
                    unfit(token);
                  } finally {
                    forget.run();
                  }
                }));
  }

  /** What cannot be made wants nothing; of what was cancelled nothing is known. */
  private void unfit(CancellationToken token) {
    if (!token.cancelled()) {
      reports.learned(false);
    }
  }

  /** Lets go of whatever the agent works with; the next step makes it again. */
  public void rest() {
    activations.leave();
  }

  private void start(CurrentStep step, Body body) {
    services
        .threads()
        .execute(
            LogNames.of(agent, step.run())
                .on(() -> {
                  Runnable forget = step.token().onCancel(Thread.currentThread()::interrupt);
                  try {
                    Outcome outcome = placed(step, body);
                    step.planned(outcome.result());
                    step.journal()
                        .complete(
                            new AgentCommand.CompleteStep(
                                outcome.result(), outcome.delta(), clock().instant()));
                  } catch (InterruptedException cancelled) {
                    // The actor does not wait for a step that was cancelled before it began.
                  } catch (VirtualMachineError broken) {
                    reports.broken(broken);
                  } finally {
                    forget.run();
                  }
                }));
  }

  private Outcome placed(CurrentStep step, Body body) throws InterruptedException {
    places.acquire();
    try {
      return run(step, body);
    } finally {
      places.release();
    }
  }

  private Outcome run(CurrentStep step, Body body) {
    try {
      return body.run();
    } catch (Throwable failure) {
      Failures.throwIfOfMachine(failure);
      // What is in memory may be ahead of what is durable; the next step begins from the latter.
      activations.leave(step.token());
      ActionPolicyIterationResult failed = ActionPolicyIterationResult.failed(error(failure));
      return new Outcome(with(step, failed), StepDelta.NONE);
    }
  }

  /**
   * What is written and said from now on counts, though the run is suspended only later; what was
   * said before does not.
   */
  private ActionPolicyIterationResult anchored(CurrentStep step, ActionPolicyIterationResult result)
      throws ExecutionException {
    if (result.until().isEmpty()) {
      return result;
    }
    ResumptionCondition anchored = anchored(step.token(), result.until().get());
    return result
        .until(anchored)
        .call(
            result
                .call()
                .map(call ->
                    call.result().until().equals(result.until())
                        ? new ActionCall(call.action(), call.result().until(anchored))
                        : call));
  }

  private ResumptionCondition anchored(CancellationToken token, ResumptionCondition until)
      throws ExecutionException {
    until.check(agent);
    return token.await(
        services
            .backoff()
            .repeat(
                "looking where the writes begin that " + agent + " waits for",
                token::cancelled,
                () -> services.resumptions().anchored(agent, until))
            .toCompletableFuture());
  }

  private static ErrorContext error(Throwable failure) {
    if (failure instanceof AgentException told) {
      return new ErrorContext("agent", told.getMessage(), Optional.empty(), told.retryable());
    }
    return ErrorContext.of("policy", "the policy failed: " + failure);
  }

  /**
   * An action that was executed is never left out, whatever the policy makes of it; one that was
   * refused is what the policy says it is. Several have their own records.
   */
  private static ActionPolicyIterationResult with(
      CurrentStep step, ActionPolicyIterationResult result) {
    return result.call(step.several() ? Optional.empty() : step.call().or(result::call));
  }

  private void snapshots(Activation activation, ActionPolicyExecutionState state) {
    int most = services.maxSnapshotBytes();
    for (AgentCapability capability : activation.agent().capabilities()) {
      JsonNode snapshot = capability.snapshot();
      JsonNode kept = snapshot == null ? JsonNodeFactory.instance.nullNode() : snapshot;
      if (JsonSize.exceeds(kept, most)) {
        throw AgentException.refused(
            "the snapshot of "
                + capability.capabilityKey()
                + " is larger than "
                + most
                + " bytes, which is colony.agent.capability.max-snapshot: keep it on the"
                + " blackboard");
      }
      state.snapshot(capability.capabilityKey(), kept.deepCopy());
    }
  }

  /** Takes what comes of an agent's steps, from any thread; its actor stands behind it. */
  public interface StepReports {

    void ended(CancellationToken asked, AgentCommand command);

    /**
     * Something within a step is to be journaled; the step goes on when it is.
     *
     * @param durable is completed then, and fails if it is refused
     */
    void record(CancellationToken asked, AgentCommand command, CompletableFuture<Void> durable);

    /**
     * Has something done on some thread when a time is over.
     *
     * @return takes it back, if it is not being done
     */
    Runnable later(Duration delay, Runnable task);

    /** The policy was made, and this is whether it takes events into its runs. */
    void learned(boolean takesEvents);

    /** The process itself is broken, which is nothing that an agent could go on from. */
    void broken(VirtualMachineError error);
  }

  /** What agents' code may throw. */
  static final class Failures {

    private Failures() {}

    /**
     * Throws on what is not the fault of the code that threw it and nothing to go on from: an error
     * of the machine, such as the end of its memory. A stack that overflows is a fault of the code.
     */
    static void throwIfOfMachine(Throwable failure) {
      if (failure instanceof VirtualMachineError broken
          && !(failure instanceof StackOverflowError)) {
        throw broken;
      }
    }
  }
}
