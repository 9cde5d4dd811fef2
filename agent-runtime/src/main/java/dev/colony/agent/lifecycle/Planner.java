package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.ActionPolicy;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Decision;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunView;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Derives from a state what is to be done in it, asking the policy where it is the policy's say.
 */
public final class Planner {

  private static final Work NOTHING = new Work.Nothing();

  private final AgentId agent;
  private final ActionPolicy policy;
  private final Optional<Map<Scope, Set<KeyGlob>>> patterns;
  private final RunLimits limits;

  /**
   * @param patterns the writes that the agent handles; empty if that cannot be told or done here:
   *     then they wait until the agent starts again
   */
  public Planner(
      AgentId agent,
      ActionPolicy policy,
      Optional<Map<Scope, Set<KeyGlob>>> patterns,
      RunLimits limits) {
    this.agent = agent;
    this.policy = policy;
    this.patterns = patterns;
    this.limits = limits;
  }

  /** The same without events. */
  public Planner deaf() {
    return new Planner(agent, policy, Optional.empty(), limits);
  }

  /** Whether the blackboard wakes the agent for just what it handles, as far as can be told. */
  public boolean watching(AgentSnapshot state) {
    return patterns
        .map(wanted ->
            wanted.equals(
                state.watches().stream().collect(Collectors.toMap(Watch::scope, Watch::globs))))
        .orElse(true);
  }

  /**
   * The work of a state.
   *
   * @param now goes into the command of {@link Work.Tell} and decides nothing
   */
  public Work next(AgentSnapshot state, Instant now) {
    Optional<Work> events = state.betweenRuns() ? events(state) : Optional.empty();
    return events.orElseGet(() -> ofRun(state, now));
  }

  /**
   * What woke the agent is read between two runs, so that neither runs nor events wait for ever. A
   * scope has one run in the queue at most; what comes meanwhile is read after it.
   */
  private Optional<Work> events(AgentSnapshot state) {
    if (patterns.isEmpty() || state.phase() == AgentSnapshot.Phase.UNBORN) {
      return Optional.empty();
    }
    Optional<Work> unread =
        state.watches().stream()
            .filter(Watch::unread)
            .filter(watch -> state.queue().stream().noneMatch(run -> startedBy(run, watch.scope())))
            .findFirst()
            .map(Work.ReadEvents::new);
    return unread.isPresent() || watching(state) ? unread : Optional.of(watch(state));
  }

  private Work watch(AgentSnapshot state) {
    boolean first = state.watches().isEmpty() && state.finished().isEmpty();
    return new Work.WatchScopes(patterns.orElseThrow(), state.watches(), first);
  }

  private static boolean startedBy(RunRequest run, Scope scope) {
    return EventBatch.of(run).filter(batch -> batch.scope().equals(scope)).isPresent();
  }

  private Work ofRun(AgentSnapshot state, Instant now) {
    return switch (state.phase()) {
      case UNBORN, IDLE -> NOTHING;
      case ENDED ->
          new Work.Publish(state.queue().getFirst(), state.active().orElseThrow().ended().get());
      case INTENDED -> intended(state, now);
      case PLANNING, ANSWERED, MODEL_FAILED -> plan(state, now);
    };
  }

  private Work intended(AgentSnapshot state, Instant now) {
    ActiveRun run = state.active().orElseThrow();
    Action action = run.intended().orElseThrow();
    boolean cutOff = run.intendedBy() != state.incarnation();
    return cutOff && !action.retryable()
        ? new Work.Tell(
            new AgentCommand.CompleteStep(ActionOutcome.interrupted(action.actionId()), now))
        : execute(state, run, action);
  }

  private Work plan(AgentSnapshot state, Instant now) {
    ActiveRun run = state.active().orElseThrow();
    RunRequest request = state.queue().getFirst();
    RunView view = new RunView(agent, request, run.stats().steps(), run.outcomes(), run.reply());
    if (view.step() >= limits.maxSteps()) {
      return fail(request, run, "the run took " + view.step() + " steps, as many as it may", now);
    }
    Decision decision;
    try {
      decision = ask(run, view);
    } catch (RuntimeException broken) {
      return fail(request, run, "the policy failed: " + broken, now);
    }
    return switch (decision) {
      case Decision.Infer infer when state.phase() == AgentSnapshot.Phase.PLANNING ->
          new Work.CallModel(name(request, run) + "/model", infer.call());
      case Decision.Infer again ->
          fail(request, run, "the policy asked the model twice within a step", now);
      case Decision.Act act when run.outcomes().contains(act.action().actionId()) ->
          fail(
              request,
              run,
              "the policy chose the action id " + act.action().actionId() + " twice",
              now);
      case Decision.Act act when JsonSize.exceeds(act.action().params(), limits.maxOutputBytes()) ->
          fail(
              request,
              run,
              "the parameters of "
                  + act.action().actionId()
                  + " are larger than "
                  + limits.maxOutputBytes()
                  + " bytes",
              now);
      case Decision.Act act when act.action().effect() == Action.Effect.EXTERNAL ->
          new Work.Tell(new AgentCommand.IntendAction(act.action(), now));
      case Decision.Act act -> execute(state, run, act.action());
      case Decision.Complete complete -> complete(request, run, complete.output(), now);
      case Decision.Fail fail -> fail(request, run, fail.reason(), now);
    };
  }

  private Decision ask(ActiveRun run, RunView view) {
    if (run.failure().isPresent()) {
      ModelFailure failure = run.failure().get();
      return policy.onModelFailure(view, failure);
    }
    return policy.planStep(view);
  }

  private Work execute(AgentSnapshot state, ActiveRun run, Action action) {
    RunRequest request = state.queue().getFirst();
    return new Work.Execute(request, action, name(request, run) + "/" + action.actionId());
  }

  private Work complete(RunRequest request, ActiveRun run, JsonNode output, Instant now) {
    if (JsonSize.exceeds(output, limits.maxOutputBytes())) {
      return fail(
          request, run, "the output is larger than " + limits.maxOutputBytes() + " bytes", now);
    }
    return new Work.Tell(
        new AgentCommand.CompleteRun(
            AgentRun.completed(request.runId(), output, run.stats()), now));
  }

  private static Work fail(RunRequest request, ActiveRun run, String why, Instant now) {
    return new Work.Tell(
        new AgentCommand.CompleteRun(AgentRun.failed(request.runId(), why, run.stats()), now));
  }

  private String name(RunRequest request, ActiveRun run) {
    return agent.persistenceId() + "/" + request.runId() + "/" + run.stats().steps();
  }
}
