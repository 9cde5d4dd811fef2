package dev.colony.core.lifecycle;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.ActiveRun.Grants;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.Intent.Intended;
import dev.colony.core.lifecycle.RunLimits.Bounds;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Derives from a state what is to be done in it. It is asked when no work is under way; what is
 * under way goes on until it ends, unless {@link #cutsOff} says otherwise.
 *
 * <p>Stop, failure, cancellation and the end of a run's time cut an iteration off where it stands,
 * except for one that has begun an external action: what it does to the world cannot be taken back,
 * so that the step is awaited (its own timeout bounds it) and the history says what became of it; a
 * step that has several is awaited until each that has begun has ended, and cut off then. If a
 * crash cuts such an action off, it is not begun again for a run that is to end.
 */
public final class Effects {

  private static final AgentEffect NOTHING = new AgentEffect.Nothing();

  private final AgentId agent;
  private final EventSubscription subscription;
  private final Bounds bounds;
  private final Supplier<Optional<String>> suspended;

  /**
   * @param patterns the writes that the agent handles; empty if that cannot be told or done here:
   *     then they wait until the agent starts again
   * @param takesEvents whether the policy takes events into an open run; empty as long as that is
   *     not known: then the agent rests. Asked only where it makes a difference
   */
  public Effects(
      AgentId agent,
      Optional<Map<Scope, Set<KeyGlob>>> patterns,
      Supplier<Optional<Boolean>> takesEvents,
      RunLimits limits) {
    this(
        agent,
        new EventSubscription(patterns, takesEvents),
        new Bounds(limits),
        Optional::<String>empty);
  }

  private Effects(
      AgentId agent,
      EventSubscription subscription,
      Bounds bounds,
      Supplier<Optional<String>> suspended) {
    this.agent = agent;
    this.subscription = subscription;
    this.bounds = bounds;
    this.suspended = suspended;
  }

  public Effects withoutEvents() {
    return new Effects(agent, subscription.withoutEvents(), bounds, suspended);
  }

  /** The same of an agent that takes no step while its scope is suspended, for that reason. */
  public Effects within(Supplier<Optional<String>> why) {
    return new Effects(agent, subscription, bounds, why);
  }

  /** Whether the blackboard wakes the agent for just what it handles, as far as can be told. */
  public boolean watching(AgentSnapshot state) {
    return subscription.watching(state);
  }

  /**
   * The work of a state.
   *
   * @param now decides whether the time of a run is over, and goes into commands
   */
  public AgentEffect next(AgentSnapshot state, Instant now) {
    if (state.phase() == AgentSnapshot.Phase.UNBORN) {
      return NOTHING;
    }
    return switch (state.state()) {
      case SUSPENDED, UNLOADED -> away(state, now);
      case STOPPED, FAILED -> winding(state, now);
      case INITIALIZED, RUNNING, WAITING, LOADED, IDLE -> living(state, now);
    };
  }

  /**
   * Whether the iteration that is under way is to be cut off and {@link #next} asked again: the run
   * is to end, or the agent is not to run.
   */
  public boolean cutsOff(AgentSnapshot state, Instant now) {
    return state
        .active()
        .filter(ActiveRun::iterating)
        .filter(run -> !run.actions().underWay(state.incarnation()))
        .map(run ->
            state.state() != AgentState.RUNNING
                || state.ending()
                || bound(state, now).isPresent()
                || suspended.get().isPresent())
        .orElse(false);
  }

  /** When to ask {@link #next} again though nothing has happened; empty if never. */
  public Optional<Instant> deadline(AgentSnapshot state) {
    boolean open = state.active().filter(run -> run.ended().isEmpty()).isPresent();
    return switch (state.state()) {
      case RUNNING -> open ? Optional.of(bounds.overAt(state)) : Optional.empty();
      case WAITING -> Optional.of(earlier(bounds.overAt(state), bounds.suspendAt(state)));
      case SUSPENDED -> open && timed(state) ? Optional.of(bounds.overAt(state)) : Optional.empty();
      case UNLOADED -> open ? Optional.of(bounds.loadsAt(state)) : Optional.empty();
      case INITIALIZED, LOADED, IDLE, STOPPED, FAILED -> Optional.empty();
    };
  }

  /**
   * Which bound the open run has reached, one line; empty if it may go on. An iteration asks before
   * each model call.
   */
  public Optional<String> bound(AgentSnapshot state, Instant now) {
    return bounds.spent(state).or(() -> bounds.over(state, now));
  }

  /** Names a step, whatever crashes. */
  public static String stepName(AgentId agent, QueuedRun run, ActiveRun active) {
    String attempt = active.rewound().map(past -> "@" + past.attempt()).orElse("");
    return agent.persistenceId() + "/" + run.runId() + attempt + "/" + active.stats().steps();
  }

  /** The idempotency key of an action of a step. */
  public static String idempotencyKey(String stepName, String actionId) {
    return stepName + "/" + actionId;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static boolean timed(AgentSnapshot state) {
    return state.suspension().orElseThrow().cause().timed();
  }

  private AgentEffect living(AgentSnapshot state, Instant now) {
    return move(state)
        .or(() -> subscription.watch(state))
        .or(() -> unwanted(state))
        .or(() -> state.runs().opened().map(one -> one.effect(state, now)))
        .or(() -> state.active().map(run -> ofRun(state, run, now)))
        .or(() -> subscription.read(state))
        .orElse(NOTHING);
  }

  /**
   * Of an agent that is put away. Nothing is begun; but results are not kept from those who wait
   * for them, and what ends the suspension is seen to here too.
   */
  private AgentEffect away(AgentSnapshot state, Instant now) {
    return subscription
        .watch(state)
        .or(() -> unwanted(state))
        .or(() -> overAway(state, now))
        .or(() -> move(state))
        .or(() -> toResume(state, now))
        .or(() ->
            state.status().unknown()
                ? state.suspension().map(AgentEffect.EnterSuspension::new)
                : Optional.empty())
        .orElse(NOTHING);
  }

  private Optional<AgentEffect> overAway(AgentSnapshot state, Instant now) {
    return state
        .active()
        .filter(run -> run.ended().isPresent() || state.ending())
        .map(run -> endOf(state, run, now));
  }

  /** Why the suspension is to end, where no condition says it. */
  private Optional<AgentEffect> toResume(AgentSnapshot state, Instant now) {
    Optional<String> over =
        state
            .active()
            .filter(run -> timed(state) && run.intended().isEmpty())
            .filter(run -> !run.actions().underWay(state.incarnation()))
            .flatMap(run -> bounds.over(state, now));
    boolean woken = state.woken() > 0 && subscription.able();
    return over.or(() -> woken ? Optional.of("events came") : Optional.empty())
        .or(() -> loads(state, now))
        .or(() ->
            Optional.of("its scope is resumed")
                .filter(why -> state.withinSuspendedScope() && suspended.get().isEmpty()))
        .map(why ->
            new AgentEffect.IssueCommand(
                new AgentCommand.Apply(
                    new Intent.Resume(
                        OptionalLong.of(state.suspension().orElseThrow().number()), why),
                    now)));
  }

  /** No other agent may ever load the pages of an agent that has come to have work: it does. */
  private Optional<String> loads(AgentSnapshot state, Instant now) {
    return state.state() == AgentState.UNLOADED
            && state.active().isPresent()
            && !now.isBefore(bounds.loadsAt(state))
        ? Optional.of("no replica has loaded its pages")
        : Optional.empty();
  }

  private static Optional<AgentEffect> move(AgentSnapshot state) {
    return state.moving()
        ? state.home().map(home -> new AgentEffect.MoveHome(home.unit()))
        : Optional.empty();
  }

  /** A run behind the first that was cancelled ends before its turn. */
  private static Optional<AgentEffect> unwanted(AgentSnapshot state) {
    return state
        .runs()
        .cancelledBehind()
        .map(run ->
            new AgentEffect.Publish(
                run.request(),
                AgentRun.cancelled(run.runId(), run.cancelled().orElseThrow(), RunStats.NONE)
                    .session(run.request().context().session())));
  }

  /** Results first, so that a caller that hears of the end finds them. */
  private AgentEffect winding(AgentSnapshot state, Instant now) {
    return state
        .active()
        .map(run -> endOf(state, run, now))
        .or(() -> subscription.watch(state))
        .orElse(
            state.announced() == state.state() ? NOTHING : new AgentEffect.Announce(state.state()));
  }

  private AgentEffect ofRun(AgentSnapshot state, ActiveRun run, Instant now) {
    if (run.ended().isPresent() || state.ending()) {
      return endOf(state, run, now);
    }
    if (run.intended().isPresent()) {
      return intended(state, run, now);
    }
    if (run.actions().underWay(state.incarnation())) {
      return NOTHING;
    }
    return bounds
        .over(state, now)
        .map(bound -> bounded(state, run, bound, now))
        .or(() ->
            bounds
                .spent(state)
                // What has begun is brought to its end before more is asked for.
                .filter(bound -> !run.acting() || !mayAsk(state, run))
                .map(bound -> spent(state, run, bound, now)))
        .or(() -> subscription.read(state, run))
        .or(() -> run.blocked().map(blocked -> blocked(state, blocked, now)))
        .or(() -> withScope(now))
        .orElseGet(() ->
            new AgentEffect.Iterate(
                head(state).request(), run, state.memory(), stepName(agent, head(state), run)));
  }

  private Optional<AgentEffect> withScope(Instant now) {
    return suspended
        .get()
        .map(why ->
            new AgentEffect.IssueCommand(
                new AgentCommand.Apply(
                    new Intent.Suspend(SuspensionCause.SCOPE, why, Optional.empty()), now)));
  }

  /** The end of a run that a bound ends. */
  private static AgentEffect bounded(AgentSnapshot state, ActiveRun run, String why, Instant now) {
    AgentRun ended =
        ActionPolicyExecutionState.answer(run.custom(), run.history())
            .map(
                answer -> AgentRun.completed(head(state).runId(), answer, run.stats()).partial(why))
            .orElseGet(() -> AgentRun.failed(head(state).runId(), why, run.stats()));
    return tell(state, ended, run, now);
  }

  private AgentEffect spent(AgentSnapshot state, ActiveRun run, String bound, Instant now) {
    if (!mayAsk(state, run)) {
      String answer =
          Optional.ofNullable(run.approvals().get(Grants.BUDGET))
              .map(said -> "; more was " + Approving.answer(said))
              .orElse("");
      return bounded(state, run, bound + answer, now);
    }
    return new AgentEffect.IssueCommand(
        new AgentCommand.Apply(
            new Intent.Suspend(
                SuspensionCause.BUDGET,
                bound,
                Optional.of(new ResumptionCondition.Approved(Grants.BUDGET))),
            now));
  }

  /** Whether the run may ask for more budget; a run that was denied it does not ask again. */
  private static boolean mayAsk(AgentSnapshot state, ActiveRun run) {
    return state.budget().whenSpent() == RunBudget.WhenSpent.SUSPEND
        && !run.approvals().containsKey(Grants.BUDGET);
  }

  /** A run that waits for long does so without its agent being in memory. */
  private AgentEffect blocked(AgentSnapshot state, Blocked blocked, Instant now) {
    if (now.isBefore(bounds.suspendAt(state))) {
      return NOTHING;
    }
    Optional<Boolean> events = subscription.takesEvents(state);
    if (events.isEmpty()) {
      return NOTHING;
    }
    return new AgentEffect.IssueCommand(
        new AgentCommand.Apply(blocked.suspend(bounds.overAt(state), events.get()), now));
  }

  /** The end of a run that is over or wanted no longer, or whose agent is at its end. */
  private AgentEffect endOf(AgentSnapshot state, ActiveRun run, Instant now) {
    if (run.ended().isPresent()) {
      return new AgentEffect.Publish(head(state).request(), run.ended().get());
    }
    if (run.intended().isPresent()) {
      return intended(state, run, now);
    }
    if (state.state() == AgentState.FAILED) {
      return tell(state, AgentRun.failed(head(state).runId(), end(state), run.stats()), run, now);
    }
    String why = state.state() == AgentState.STOPPED ? end(state) : head(state).cancelled().get();
    return tell(state, AgentRun.cancelled(head(state).runId(), why, run.stats()), run, now);
  }

  private static String end(AgentSnapshot state) {
    return "the agent is " + state.state() + state.reason().map(why -> ": " + why).orElse("");
  }

  /** Of this incarnation it is under way; of an earlier one a crash cut it off. */
  private AgentEffect intended(AgentSnapshot state, ActiveRun run, Instant now) {
    Intended intended = run.intended().orElseThrow();
    if (intended.incarnation() == state.incarnation()) {
      return NOTHING;
    }
    Action action = intended.action();
    boolean over = state.ending() || bounds.over(state, now).isPresent();
    boolean fails = bounds.spent(state).isPresent() && !mayAsk(state, run);
    if (intended.retryable() && !over && !fails) {
      String step = stepName(agent, head(state), run);
      return withScope(now)
          .orElseGet(() ->
              new AgentEffect.FinishIntended(
                  head(state).request(), intended, run.key(step, action)));
    }
    ActionResult unknown = ActionResult.interrupted(action.actionId());
    return new AgentEffect.IssueCommand(
        new AgentCommand.CompleteStep(
            ActionPolicyIterationResult.acted(action, unknown), intended.delta(), now));
  }

  /** The step of a run that ends has ended before, so that the history holds its actions. */
  private static AgentEffect tell(AgentSnapshot state, AgentRun ended, ActiveRun run, Instant now) {
    if (run.actions().underWay(state.incarnation())) {
      return NOTHING;
    }
    return new AgentEffect.IssueCommand(
        run.actions().none()
            ? new AgentCommand.CompleteRun(ended.session(run.session()), now)
            : new AgentCommand.CompleteStep(
                ActionPolicyIterationResult.skipped(), StepDelta.NONE, now));
  }

  private static QueuedRun head(AgentSnapshot state) {
    return state.queue().getFirst();
  }

  /** What an agent is to do in a state; issued again after a crash, it is the same. */
  public sealed interface AgentEffect {

    record Nothing() implements AgentEffect {}

    record IssueCommand(AgentCommand command) implements AgentEffect {}

    /**
     * Execute an iteration of the policy and tell the agent what it came to.
     *
     * @param name of the step, the same whatever crashes; see {@link Effects#idempotencyKey}
     */
    record Iterate(RunRequest request, ActiveRun run, DurableMemory memory, String name)
        implements AgentEffect {}

    /**
     * Execute again an external action that a crash cut off, and complete the step with what
     * becomes of it and with the changes that were journaled with the intent.
     *
     * @param key the idempotency key under which it was executed before
     */
    record FinishIntended(RunRequest request, Intended intended, String key)
        implements AgentEffect {}

    record Publish(RunRequest request, AgentRun run) implements AgentEffect {}

    /**
     * Have the blackboard wake the agent for what it handles, and tell the agent where it begins.
     *
     * @param wanted the patterns of each scope; of every other scope that is watched, none
     * @param watched what has been so far
     * @param first whether the agent has done nothing yet, so that writes since it was spawned
     *     count
     */
    record WatchScopes(Map<Scope, Set<KeyGlob>> wanted, List<Watch> watched, boolean first)
        implements AgentEffect {}

    /**
     * Read the matching writes of a scope that were not taken.
     *
     * @param intoRun whether they are for the run that is open; otherwise for one of their own
     */
    record ReadEvents(Watch watch, boolean intoRun) implements AgentEffect {}

    /** Read what the run begins its next attempt with, take its result back, and tell the agent. */
    record Rewind(Rewinding rewinding) implements AgentEffect {}

    /** Tell the directory that the agent is at its end, and its children what follows for them. */
    record Announce(AgentState state) implements AgentEffect {}

    /** Enter it into the index of those that wait, and tell the agent so. */
    record EnterSuspension(Suspension suspension) implements AgentEffect {}

    /** Have the directory know where the agent lives from now on, and tell the agent so. */
    record MoveHome(int unit) implements AgentEffect {}
  }
}
