package dev.colony.node.entity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.client.ScopeSuspensions.ScopeSuspension;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.core.dispatch.LogNames;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Effects;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.EntityMachine.Circumstances;
import dev.colony.node.activation.CancellationToken;
import dev.colony.node.admission.NodeLeases;
import dev.colony.node.admission.ScopeWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an agent is doing: one effect at a time, as {@link Effects} derives it from the state, and
 * the clocks that belong to it. {@link EffectExecutor} carries the effect out. Used by the agent's
 * actor only.
 */
final class EffectLoop {

  private static final Logger LOG = LoggerFactory.getLogger(EffectLoop.class);
  private static final String IDLE = "idle";
  private static final String OVERDUE = "overdue";
  private static final Duration SOON = Duration.ofMillis(10);
  private static final AgentEffect NOTHING = new AgentEffect.Nothing();

  private final AgentId agent;
  private final EntityServices services;
  private final TimerScheduler<AgentMessage> timers;
  private final Consumer<AgentMessage> self;
  private final CapacityPermit permit;
  private final AgentNotices notices;
  private final EffectExecutor executor;
  private final Optional<ScopeWatch> scopes;

  private Effects effects;

  /** What the agent was made ready by. */
  private Optional<AgentBlueprint> settled = Optional.empty();

  /** Whether it goes on without events. */
  private boolean deaf;

  /** Whether it is known that the agent can work here; looked at when there is something to do. */
  private boolean fits;

  /** Whether the last look at what is to be done found that it does not. */
  private boolean misfits;

  private Optional<Boolean> takesEvents = Optional.empty();
  private boolean takesEventsAsked;

  /** Whether it waits in memory until its scope is resumed, or until that is known. */
  private boolean held;

  private AgentEffect work = NOTHING;
  private CancellationToken token = CancellationToken.NONE;
  private AgentSnapshot begunIn = AgentSnapshot.UNBORN;
  private Optional<Instant> overdueAt = Optional.empty();
  private Stopwatch step;

  /**
   * @param self takes what comes of the work, from any thread
   */
  EffectLoop(
      AgentId agent,
      EntityServices services,
      TimerScheduler<AgentMessage> timers,
      Consumer<AgentMessage> self,
      ActorSystem<?> system) {
    this.agent = agent;
    this.services = services;
    this.timers = timers;
    this.self = self;
    this.permit =
        new CapacityPermit(
            agent,
            services.slots(),
            services.shared().ports().find(NodeLeases.class),
            services.clock(),
            self);
    this.notices = new AgentNotices(agent, services);
    this.executor = new EffectExecutor(agent, services, notices, self, system);
    this.scopes = services.shared().ports().find(ScopeWatch.class);
  }

  /** Begins anew with what the journal tells. */
  void recovered(AgentSnapshot state) {
    work = NOTHING;
    token = new CancellationToken();
    overdueAt = Optional.empty();
    executor.recovered(state);
  }

  /** Asks the directory what the agent is, so that it can be taken over. */
  void lookUp() {
    executor.lookUp(token);
  }

  /** The directory is not asked again of an agent that is known to have ended. */
  void ended(AgentId other) {
    executor.ended(other);
  }

  /**
   * Begins to work for an agent that has just been claimed.
   *
   * @param withoutEvents whether to go on without events, which the journal has refused
   */
  void begin(AgentSnapshot state, boolean withoutEvents) {
    deaf = withoutEvents;
    settle(state);
    step = Stopwatch.start();
    proceed(state);
  }

  /** Makes ready for the agent as it is: what was made of another blueprint is let go of. */
  private void settle(AgentSnapshot state) {
    AgentBlueprint blueprint = state.blueprint().orElseThrow();
    settled = state.blueprint();
    fits = false;
    takesEvents = Optional.empty();
    executor.settle(blueprint);
    notices.revision(state);
    effects =
        new Effects(
                agent,
                services.activations().patterns(agent, blueprint, services.states()::shared),
                this::takesEvents,
                services.shared().limits())
            .within(this::suspendedScope);
    effects = deaf ? effects.withoutEvents() : effects;
  }

  /** Whether the blackboard wakes the agent for just what it handles. */
  boolean watching(AgentSnapshot state) {
    return effects.watching(state);
  }

  /** Whether what comes back is what is waited for. */
  boolean awaits(CancellationToken asked) {
    return asked == token;
  }

  /** Whether the state is another than the work under way was begun in. */
  boolean overtaken(AgentSnapshot state) {
    return state != begunIn;
  }

  /** Whether nothing is under way, and nothing is waited for in memory. */
  boolean resting() {
    return work instanceof AgentEffect.Nothing && !held;
  }

  void stepCompleted() {
    services.shared().listener().stepCompleted(agent, step.elapsed());
    step = Stopwatch.start();
  }

  void proceed(AgentSnapshot state) {
    Instant now = services.now();
    if (!settled.equals(state.blueprint())) {
      settle(state);
    }
    takesEventsAsked = false;
    begunIn = state;
    notices.here(state.state());
    token = new CancellationToken();
    if (!scopeKnown(state)) {
      return;
    }
    AgentEffect wanted = effects.next(state, now);
    Optional<String> misfit = needsBuilding(wanted) ? unfit(state) : Optional.empty();
    misfits = misfit.isPresent();
    AgentEffect next = misfit.map(why -> unfitting(why)).orElse(wanted);
    Optional<AgentEffect> admitted = permit.admit(next, state, token);
    work = admitted.orElse(next);
    admitted.ifPresent(allowed -> executor.start(allowed, state, misfit, token));
    watchClock(state, now);
    if (held) {
      executor.rest();
    } else if (resting()) {
      restIn(state);
    }
  }

  /**
   * Follows what is suspended as a whole while the agent has a run; where it is not known whether
   * that concerns it, it does nothing before.
   */
  private boolean scopeKnown(AgentSnapshot state) {
    if (state.active().isEmpty() || scopes.isEmpty()) {
      scopes.ifPresent(all -> all.forget(this));
      held = false;
      return true;
    }
    scopes.get().follow(this, () -> self.accept(new AgentMessage.Overdue()));
    boolean known = learnScope();
    held = !known || state.withinSuspendedScope();
    work = known ? work : NOTHING;
    return known;
  }

  /** Whether it is known if the agent's scope is suspended; otherwise that is found out. */
  private boolean learnScope() {
    if (scopes.isEmpty() || scopes.get().knows(agent.tenant(), Optional.of(agent))) {
      return true;
    }
    CancellationToken asked = token;
    scopes
        .get()
        .learn(Optional.of(agent), asked::cancelled)
        .whenComplete((done, failure) -> {
          if (failure == null && !asked.cancelled()) {
            self.accept(new AgentMessage.Overdue());
          }
        });
    return false;
  }

  /** Why the agent takes no step, where its tenant, its colony or a tree of agents is suspended. */
  private Optional<String> suspendedScope() {
    return scopes
        .flatMap(all -> all.suspension(agent.tenant(), Optional.of(agent)))
        .map(ScopeSuspension::words);
  }

  /** Has the agent, which has waited for a place in memory, wait where that costs none. */
  void sentAway(AgentSnapshot state, ResourceExhausted why) {
    work = permit.sentAway(why);
    begunIn = state;
    executor.start(work, state, Optional.empty(), token);
  }

  /**
   * A step waits where its agent cannot be made on this node: failing its run would lose what has
   * been done for it, and the next release may bring back what is missing.
   */
  private AgentEffect unfitting(String why) {
    LogNames.of(agent).run(() -> LOG.warn("agent {} waits: {}", agent, why));
    takesEventsAsked = false;
    return NOTHING;
  }

  /** Whether the agent rests because it cannot be made on this node. */
  boolean misfit() {
    return misfits && resting();
  }

  private boolean needsBuilding(AgentEffect next) {
    return next instanceof AgentEffect.Iterate
        || next instanceof AgentEffect.FinishIntended
        || next instanceof AgentEffect.Nothing && takesEventsAsked;
  }

  /** Why the agent cannot work on this node; empty if it can. */
  Optional<String> unfit(AgentSnapshot state) {
    if (fits) {
      return Optional.empty();
    }
    Optional<String> why = services.activations().unfit(agent, state.blueprint().orElseThrow());
    fits = why.isEmpty();
    return why;
  }

  /** Goes on after something else than the work under way has changed the state, or in time. */
  void reconsider(AgentSnapshot state) {
    if (work instanceof AgentEffect.Nothing) {
      token.cancel();
      timers.cancel(IDLE);
      step = Stopwatch.start();
      proceed(state);
    } else if (work instanceof AgentEffect.Iterate && effects.cutsOff(state, services.now())) {
      abandon();
      proceed(state);
    }
  }

  /** The timer's clock may be ahead of the one that the deadline is read by. */
  void overdue(AgentSnapshot state) {
    overdueAt = Optional.empty();
    if (work instanceof AgentEffect.Iterate) {
      learnScope();
    }
    reconsider(state);
    watchClock(state, services.now());
  }

  /**
   * It is known whether the policy takes events into its runs.
   *
   * @return whether the agent has rested only until that is known
   */
  boolean taking(boolean events) {
    takesEvents = Optional.of(events);
    return takesEventsAsked && resting();
  }

  void deafen(AgentSnapshot state) {
    deaf = true;
    effects = effects.withoutEvents();
    proceed(state);
  }

  void abandon() {
    token.cancel();
    executor.rest();
    permit.leave();
  }

  void ends() {
    abandon();
    scopes.ifPresent(all -> all.forget(this));
    notices.end();
  }

  /** Tells others that the agent was suspended or has gone on, if it has. */
  void moved(AgentSnapshot before, AgentSnapshot state) {
    notices.moved(before, state);
    if (before.suspension().isPresent() && state.state() == AgentState.RUNNING) {
      services.shared().listener().resumed(agent);
    }
  }

  /**
   * An agent that is put away leaves memory at once, unless it is to go on soon, and so does one
   * that has ended, so that another may have its name once it is purged. A run that waits stays, so
   * that its time ends; a service always does.
   */
  private void restIn(AgentSnapshot state) {
    if (takesEventsAsked) {
      executor.learn(state, token);
      return;
    }
    executor.rest();
    executor.awaitOthers(state, token);
    if ((state.suspension().isPresent() || state.state().terminal()) && !state.outstanding()) {
      self.accept(new AgentMessage.Idle());
    } else if (state.state() != AgentState.WAITING && !Circumstances.serves(state)) {
      timers.startSingleTimer(IDLE, new AgentMessage.Idle(), services.settings().passivateAfter());
    }
  }

  /** Known from when the policy was first made; that is not done just to answer. */
  private Optional<Boolean> takesEvents() {
    takesEventsAsked |= takesEvents.isEmpty();
    return takesEvents;
  }

  private void watchClock(AgentSnapshot state, Instant now) {
    Optional<Instant> deadline = effects.deadline(state);
    if (!overdueAt.equals(deadline)) {
      overdueAt = deadline;
      timers.cancel(OVERDUE);
      deadline.ifPresent(at -> {
        Duration left = Duration.between(now, at);
        timers.startSingleTimer(
            OVERDUE, new AgentMessage.Overdue(), left.isPositive() ? left : SOON);
      });
    }
  }
}
