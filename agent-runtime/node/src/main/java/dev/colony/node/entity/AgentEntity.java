package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.core.dispatch.LogNames;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Effects;
import dev.colony.core.lifecycle.EntityInput;
import dev.colony.core.lifecycle.EntityMachine;
import dev.colony.core.lifecycle.EntityMachine.Circumstances;
import dev.colony.core.lifecycle.EntityMachine.Reaction;
import dev.colony.core.lifecycle.EntityState;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RecoveryPolicy.RecoveryCause;
import dev.colony.journal.OutstandingIndex;
import dev.colony.node.entity.FailureWatch.StoreLosses;
import dev.colony.node.entity.MessageHandler.Entity;
import dev.colony.node.resumption.BoundPages;
import java.util.Optional;
import java.util.Set;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.RecoveryCompleted;
import org.apache.pekko.persistence.typed.RecoveryFailed;
import org.apache.pekko.persistence.typed.SnapshotAdapter;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EffectFactories;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actor of one agent: journals what {@link Lifecycle} decides and does what {@link Effects}
 * says.
 *
 * <p>It never waits. Work (a model call, an action, publishing a result) is started after the event
 * that calls for it is durable, and comes back as a message with the incarnation that asked for it.
 * One piece of work at a time is under way, see {@link EffectLoop}. A crash loses the work but not
 * the state it follows from, so that recovery only has to ask for the effects again.
 *
 * <p>{@link EntityMachine} says what becomes of each message: it is handled, that is decided by the
 * core, journaled, answered and followed; or it waits for the claim; or the actor comes or goes.
 */
final class AgentEntity extends EventSourcedBehavior<AgentMessage, AgentEvent, AgentSnapshot>
    implements Entity {

  private static final Logger LOG = LoggerFactory.getLogger(AgentEntity.class);

  private final AgentId agent;
  private final EntityServices services;
  private final ActorRef<AgentMessage> self;
  private final TimerScheduler<AgentMessage> timers;
  private final ShardLink shard;
  private final EffectLoop loop;
  private final PageBinding pages;
  private final StoreLosses losses;
  private final UnavailableInterceptor unavailable;
  private final FailureWatch failures;
  private final AgentClaim claim;
  private final MessageHandler handler;

  /** How long the actor has read the journal; empty once it has read it. */
  private Optional<Stopwatch> reading = Optional.of(Stopwatch.start());

  private EntityState at = EntityState.Recovering.STARTED;

  /** How the agent's actor reaches its shard. */
  interface ShardLink {

    /** The placement unit that this actor is in. */
    int unit();

    /** Asks the shard to stop this actor and to keep what arrives meanwhile. */
    void passivate(ActorRef<AgentMessage> self);

    /** Has the agent started again, wherever its shard will be. */
    void wakeElsewhere();

    /** Sends a message on to where the agent lives now. */
    void forward(int unit, AgentMessage.Remote message);
  }

  static Behavior<AgentMessage> create(AgentId agent, EntityServices services, ShardLink shard) {
    UnavailableInterceptor unavailable =
        new UnavailableInterceptor(shard, services.bounds().journal().longest());
    FailureWatch failures = new FailureWatch(agent);
    return Behaviors.intercept(
        () -> unavailable,
        Behaviors.<AgentMessage>supervise(
                FailureWatch.over(
                    failures,
                    Behaviors.setup(context ->
                        Behaviors.withTimers(timers ->
                            new AgentEntity(
                                agent, context, timers, services, shard, unavailable, failures)))))
            .onFailure(Exception.class, services.restarting()));
  }

  private AgentEntity(
      AgentId agent,
      ActorContext<AgentMessage> context,
      TimerScheduler<AgentMessage> timers,
      EntityServices services,
      ShardLink shard,
      UnavailableInterceptor unavailable,
      FailureWatch failures) {
    super(PersistenceId.ofUniqueId(agent.persistenceId()), services.restarting());
    this.agent = agent;
    this.services = services;
    this.self = context.getSelf();
    this.timers = timers;
    this.shard = shard;
    this.unavailable = unavailable;
    this.failures = failures;
    this.loop = new EffectLoop(agent, services, timers, self::tell, context.getSystem());
    this.losses = new StoreLosses(agent, services, failures, self::tell);
    this.pages =
        new PageBinding(
            services.shared().ports().find(BoundPages.class),
            services.shared().limits().suspension().withoutPages(),
            self::tell);
    this.claim = new AgentClaim(agent, services, failures, unavailable, this);
    this.handler = new MessageHandler(agent, services, loop, pages, losses, failures, claim, this);
  }

  @Override
  public AgentSnapshot emptyState() {
    return AgentSnapshot.UNBORN;
  }

  @Override
  public EventHandler<AgentSnapshot, AgentEvent> eventHandler() {
    return services.states();
  }

  @Override
  public SnapshotAdapter<AgentSnapshot> snapshotAdapter() {
    return services.states();
  }

  @Override
  public CommandHandler<AgentMessage, AgentEvent, AgentSnapshot> commandHandler() {
    return this::handle;
  }

  @Override
  public SignalHandler<AgentSnapshot> signalHandler() {
    return newSignalHandlerBuilder()
        .onSignal(RecoveryCompleted.instance(), this::recovered)
        .onSignal(RecoveryFailed.class, (state, failed) -> unrecovered(failed.getFailure()))
        .onSignal(PreRestart.instance(), state -> restarts())
        .onSignal(PostStop.instance(), state -> ends())
        .build();
  }

  /**
   * A suspended agent is read again from one snapshot, by another node as a rule. The store decides
   * how many are kept.
   */
  @Override
  public boolean shouldSnapshot(AgentSnapshot state, AgentEvent event, long sequenceNr) {
    boolean putAway = state.suspension().isPresent() && !event.outstanding().orElse(true);
    return putAway || services.settings().snapshots().due(state, sequenceNr);
  }

  @Override
  public Set<String> tagsFor(AgentEvent event) {
    return event
        .outstanding()
        .map(is -> Set.of(is ? OutstandingIndex.OUTSTANDING : OutstandingIndex.SETTLED))
        .orElse(Set.of());
  }

  @Override
  public EffectFactories<AgentEvent, AgentSnapshot> effects() {
    return Effect();
  }

  @Override
  public boolean claims() {
    return at.claims();
  }

  private Effect<AgentEvent, AgentSnapshot> handle(AgentSnapshot state, AgentMessage message) {
    handler.look(state);
    return perform(react(state, input(state, message)), state, message);
  }

  private EntityInput input(AgentSnapshot state, AgentMessage message) {
    return switch (message) {
      case AgentMessage.Accept accept ->
          handler.declines(accept)
              ? new EntityInput.Declined()
              : new EntityInput.Command(!state.finished().contains(accept.request().runId()));
      case AgentMessage.Start start -> new EntityInput.Events(watching(state));
      case AgentMessage.Notice notice -> new EntityInput.Events(watching(state));
      case AgentMessage.Apply apply -> new EntityInput.Command(true);
      case AgentMessage.ChildEnded ended -> new EntityInput.Command(false);
      case AgentMessage.Wake wake -> new EntityInput.Wake();
      case AgentMessage.Record record -> new EntityInput.Outcome(loop.awaits(record.asked()));
      case AgentMessage.Ended ended -> new EntityInput.Outcome(loop.awaits(ended.asked()));
      case AgentMessage.Deafened deafened -> new EntityInput.Outcome(loop.awaits(deafened.asked()));
      case AgentMessage.Placed placed ->
          new EntityInput.Admitted(loop.awaits(placed.asked()), placed.missing().isEmpty());
      case AgentMessage.Learned learned -> new EntityInput.Learned();
      case AgentMessage.Overdue overdue -> new EntityInput.Overdue();
      case AgentMessage.PagesGone gone -> new EntityInput.PagesGone();
      case AgentMessage.TakeOver takeOver -> new EntityInput.TakeOver();
      case AgentMessage.Unborn unborn -> new EntityInput.Impossible();
      case AgentMessage.Fenced fenced -> new EntityInput.Fenced();
      case AgentMessage.Idle idle -> new EntityInput.Idle();
      case AgentMessage.Leave leave -> new EntityInput.Leave();
      case AgentMessage.LeaveNow now -> new EntityInput.LeaveNow();
      case AgentMessage.Broken broken -> new EntityInput.Fatal();
      case AgentMessage.Held held -> new EntityInput.Fatal();
    };
  }

  /** Whether the blackboard wakes the agent for just what it handles, as far as is known. */
  private boolean watching(AgentSnapshot state) {
    return at.claims() && loop.watching(state);
  }

  /** What becomes of an input; the state that follows from it is taken at once. */
  private Reaction react(AgentSnapshot state, EntityInput input) {
    return react(input, Circumstances.of(state, shard.unit(), services.node(), loop.resting()));
  }

  private Reaction react(EntityInput input, Circumstances circumstances) {
    EntityMachine.Step step = EntityMachine.next(at, input, circumstances);
    at = step.state();
    return step.reaction();
  }

  private Effect<AgentEvent, AgentSnapshot> perform(
      Reaction reaction, AgentSnapshot state, AgentMessage message) {
    switch (reaction) {
      case HANDLE, CLAIM_WITH -> {
        return handler.handle(state, message);
      }
      case STASH -> {
        return Effect().stash();
      }
      case CLAIM -> {
        return claim.takeOver(state, (AgentMessage.TakeOver) message);
      }
      case IGNORE -> ignored(message);
      case FORWARD -> shard.forward(home(state), (AgentMessage.Remote) message);
      case FORWARD_AND_PASSIVATE -> {
        shard.forward(home(state), (AgentMessage.Remote) message);
        shard.passivate(self);
      }
      case BEGIN_ANEW -> {
        shard.passivate(self);
        shard.forward(shard.unit(), (AgentMessage.Remote) message);
      }
      case REFUSE -> refused(message);
      case SEND_AWAY ->
          loop.sentAway(state, ((AgentMessage.Placed) message).missing().orElseThrow());
      case AWAIT_ACTION ->
          timers.startSingleTimer(new AgentMessage.LeaveNow(), services.settings().leaveGrace());
      case STOP -> {
        if (message instanceof AgentMessage.Fenced) {
          log(() ->
              LOG.info("agent {} was taken over by {}; leaving it to that", agent, state.node()));
        }
        return Effect().stop();
      }
      case STOP_AND_WAKE -> {
        shard.wakeElsewhere();
        return Effect().stop();
      }
      case STOP_AND_WAKE_HOME -> {
        shard.forward(home(state), new AgentMessage.Wake());
        return Effect().stop();
      }
      case FAIL -> {
        if (message instanceof AgentMessage.Broken broken) {
          throw broken.error();
        }
        throw ((AgentMessage.Held) message).why();
      }
      default -> act(reaction, state);
    }
    return Effect().none();
  }

  @Override
  public void follow(AgentSnapshot state, EntityInput input) {
    act(react(state, input), state);
  }

  private void act(Reaction reaction, AgentSnapshot state) {
    switch (reaction) {
      case IGNORE -> {}
      case TAKE_OVER -> {
        losses.followDecision();
        self.tell(AgentMessage.TakeOver.UNSAID);
      }
      case LOOK_UP -> loop.lookUp();
      case HOLD_BACK -> losses.holdBack(state.node());
      case FENCE -> self.tell(new AgentMessage.Fenced());
      case LEAVE_NOW -> self.tell(new AgentMessage.LeaveNow());
      case PROCEED -> loop.proceed(state);
      case RECONSIDER -> loop.reconsider(state);
      case PASSIVATE -> shard.passivate(self);
      case ABANDON -> {
        loop.abandon();
        shard.passivate(self);
      }
      default -> throw new IllegalStateException("agent " + agent + ": " + reaction + " in " + at);
    }
  }

  private static int home(AgentSnapshot state) {
    return state.home().orElseThrow().unit();
  }

  private void ignored(AgentMessage message) {
    if (message instanceof AgentMessage.Record record) {
      record.durable().cancel(false);
    } else if (message instanceof AgentMessage.PagesGone) {
      services.agents().pagesLost();
    }
  }

  /** What is asked of an agent that cannot be there, or what it was to begin with is missing. */
  private void refused(AgentMessage message) {
    if (message instanceof AgentMessage.Unborn unborn) {
      log(() -> LOG.error("agent {} cannot be started: {}", agent, unborn.reason()));
      unavailable.refuseOnce(unborn.reason());
    } else {
      unavailable.answer((AgentMessage.Remote) message);
    }
  }

  private void log(Runnable line) {
    LogNames.of(agent).run(line);
  }

  @Override
  public void claimed(AgentSnapshot state) {
    boolean withoutEvents =
        failures.last().kind() == RecoveryCause.Kind.REJECTED && state.active().isEmpty();
    failures.claimed();
    claim.durable();
    react(state, new EntityInput.Claimed(state.incarnation()));
    pages.bind(state);
    unavailable.isThere();
    loop.begin(state, withoutEvents);
  }

  /** The journal was read. */
  private void recovered(AgentSnapshot state) {
    failures.read();
    reading.ifPresent(watch -> services.agents().recovered(watch.elapsed()));
    reading = Optional.empty();
    loop.recovered(state);
    follow(state, new EntityInput.Recovered(services.losses().diedUnknown(state.node())));
  }

  /**
   * The journal could not be read. What may pass is tried again; otherwise its callers are refused
   * at once, and the agent leaves, so that it is tried again when it is asked for something later.
   */
  private void unrecovered(Throwable failure) {
    FailureWatch.Unreadable cause = failures.unreadable(failure);
    Reaction reaction = react(new EntityInput.Unreadable(cause.retried()), Circumstances.UNKNOWN);
    if (cause.lost()) {
      unavailable.putOff(cause.why());
    } else if (reaction == Reaction.REFUSE) {
      unavailable.refuse(cause.why());
    }
  }

  /** The actor has failed and is made anew. */
  private void restarts() {
    ends();
    claim.failed().ifPresent(self::tell);
    boolean claims = at.claims();
    react(new EntityInput.Restarted(), Circumstances.UNKNOWN);
    if (claims && failures.last().kind() == RecoveryCause.Kind.PASSING) {
      log(() -> LOG.warn("agent {} failed, most likely to write its journal, and recovers", agent));
    }
  }

  /** The actor is at its end. */
  private void ends() {
    loop.ends();
    pages.close();
  }
}
