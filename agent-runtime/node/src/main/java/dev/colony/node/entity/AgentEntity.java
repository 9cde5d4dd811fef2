package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.core.incarnation.EntityInput;
import dev.colony.core.incarnation.EntityMachine.Reaction;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Effects;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.journal.OutstandingIndex;
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
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;

/**
 * The actor of one agent: journals what {@link Lifecycle} decides and does what {@link Effects}
 * says.
 *
 * <p>It never waits. Work (a model call, an action, publishing a result) is started after the event
 * that calls for it is durable, and comes back as a message with the incarnation that asked for it.
 * One piece of work is under way at a time. A crash loses the work but not the state it follows
 * from, so that recovery only has to ask for the effects again.
 *
 * <p>{@link dev.colony.core.incarnation.EntityMachine} says what becomes of a message; it is
 * handled in one of three parts: what others ask ({@link Requests}), what comes of effects ({@link
 * Outcomes}), the actor's coming and going ({@link Incarnation}).
 */
final class AgentEntity extends EventSourcedBehavior<AgentMessage, AgentEvent, AgentSnapshot> {

  private final AgentId agent;
  private final EntityServices services;
  private final EffectLoop loop;
  private final Incarnation incarnation;
  private final Requests requests;
  private final Outcomes outcomes;

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
        new UnavailableInterceptor(shard, services.settings().journalBackoff().longest());
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
    this.loop = new EffectLoop(agent, services, timers, context.getSelf()::tell);
    this.incarnation =
        new Incarnation(
            agent,
            services,
            context.getSelf(),
            timers,
            shard,
            Effect(),
            loop,
            unavailable,
            failures);
    this.requests = new Requests(agent, services, Effect(), loop, incarnation, failures);
    this.outcomes = new Outcomes(agent, services, Effect(), loop, incarnation, failures);
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
        .onSignal(RecoveryCompleted.instance(), incarnation::recovered)
        .onSignal(
            RecoveryFailed.class, (state, failed) -> incarnation.unrecovered(failed.getFailure()))
        .onSignal(PreRestart.instance(), state -> incarnation.restarts())
        .onSignal(PostStop.instance(), state -> incarnation.ends())
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

  private Effect<AgentEvent, AgentSnapshot> handle(AgentSnapshot state, AgentMessage message) {
    Reaction reaction = incarnation.react(state, input(state, message));
    return switch (reaction) {
      case HANDLE, CLAIM_WITH -> {
        requests.look(state);
        yield handled(state, message);
      }
      case STASH -> {
        requests.look(state);
        yield Effect().stash();
      }
      case IGNORE -> {
        requests.look(state);
        yield ignored(message);
      }
      case FORWARD,
          FORWARD_AND_PASSIVATE,
          BEGIN_ANEW,
          CLAIM,
          PROCEED,
          SEND_AWAY,
          ABANDON,
          PASSIVATE,
          AWAIT_ACTION,
          LEAVE_NOW,
          STOP,
          STOP_AND_WAKE,
          STOP_AND_WAKE_HOME,
          REFUSE,
          FAIL ->
          incarnation.perform(reaction, state, message);
      case TAKE_OVER, LOOK_UP, HOLD_BACK, FENCE, BEGIN, RECONSIDER ->
          throw new IllegalStateException(reaction + " does not follow from a message");
    };
  }

  /** What a message is to the {@link EntityMachine}. */
  private EntityInput input(AgentSnapshot state, AgentMessage message) {
    return switch (message) {
      case AgentMessage.Accept accept -> requests.input(state, accept);
      case AgentMessage.Start start -> new EntityInput.Events(incarnation.watching(state));
      case AgentMessage.Notice notice -> new EntityInput.Events(incarnation.watching(state));
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
      case AgentMessage.Idle idle -> new EntityInput.Idle();
      case AgentMessage.Leave leave -> new EntityInput.Leave();
      case AgentMessage.LeaveNow now -> new EntityInput.LeaveNow();
      case AgentMessage.Fenced fenced -> new EntityInput.Fenced();
      case AgentMessage.Broken broken -> new EntityInput.Fatal();
      case AgentMessage.Held held -> new EntityInput.Fatal();
    };
  }

  private Effect<AgentEvent, AgentSnapshot> handled(AgentSnapshot state, AgentMessage message) {
    return switch (message) {
      case AgentMessage.Accept accept -> requests.accept(state, accept);
      case AgentMessage.Start start -> requests.start(start);
      case AgentMessage.Notice notice -> requests.notice(state, notice);
      case AgentMessage.Apply apply -> requests.apply(state, apply);
      case AgentMessage.ChildEnded ended -> requests.childEnded(state, ended);
      case AgentMessage.Record record -> outcomes.record(state, record);
      case AgentMessage.Ended ended -> outcomes.ended(state, ended);
      case AgentMessage.Deafened deafened -> Effect().none().thenRun(loop::deafen).thenUnstashAll();
      case AgentMessage.Learned learned -> outcomes.learned(learned);
      case AgentMessage.Overdue overdue -> Effect().none().thenRun(loop::overdue);
      case AgentMessage.PagesGone gone -> incarnation.pagesGone(state, gone);
      case AgentMessage.Wake wake -> throw unhandled(wake);
      case AgentMessage.Placed placed -> throw unhandled(placed);
      case AgentMessage.Stay stay -> throw unhandled(stay);
    };
  }

  private Effect<AgentEvent, AgentSnapshot> ignored(AgentMessage message) {
    if (message instanceof AgentMessage.Record record) {
      record.durable().cancel(false);
    } else if (message instanceof AgentMessage.PagesGone) {
      services.agents().pagesLost();
    }
    return Effect().none();
  }

  private IllegalStateException unhandled(AgentMessage message) {
    return new IllegalStateException(
        "agent " + agent + " has nothing to handle in " + message.getClass().getSimpleName());
  }
}
