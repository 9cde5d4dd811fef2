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
import java.util.function.Supplier;
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
 * handled in one of two parts: what is asked of the agent and what comes of its effects ({@link
 * Commands}), and the actor's coming and going ({@link Incarnation}).
 */
final class AgentEntity extends EventSourcedBehavior<AgentMessage, AgentEvent, AgentSnapshot> {

  private final AgentId agent;
  private final EntityServices services;
  private final EffectLoop loop;
  private final Incarnation incarnation;
  private final Commands commands;

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
    StoreLosses losses = new StoreLosses(agent, services, failures, context.getSelf()::tell);
    this.incarnation =
        new Incarnation(
            agent,
            services,
            context.getSelf(),
            timers,
            shard,
            Effect(),
            loop,
            losses,
            unavailable,
            failures);
    this.commands = new Commands(agent, services, Effect(), loop, incarnation, losses, failures);
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

  /**
   * The input of the {@link EntityMachine} that a message stands for, and what handles the message
   * where the machine reacts with {@code HANDLE} or {@code CLAIM_WITH}.
   *
   * @param handled throws where the machine never has such a message handled
   */
  private record Handling(EntityInput input, Supplier<Effect<AgentEvent, AgentSnapshot>> handled) {}

  private Effect<AgentEvent, AgentSnapshot> handle(AgentSnapshot state, AgentMessage message) {
    Handling handling = handling(state, message);
    Reaction reaction = incarnation.react(state, handling.input());
    return switch (reaction) {
      case HANDLE, CLAIM_WITH -> {
        commands.look(state);
        yield handling.handled().get();
      }
      case STASH -> {
        commands.look(state);
        yield Effect().stash();
      }
      case IGNORE -> {
        commands.look(state);
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

  private Handling handling(AgentSnapshot state, AgentMessage message) {
    return switch (message) {
      case AgentMessage.Accept accept ->
          new Handling(commands.input(state, accept), () -> commands.accept(state, accept));
      case AgentMessage.Start start ->
          new Handling(
              new EntityInput.Events(incarnation.watching(state)), () -> commands.start(start));
      case AgentMessage.Notice notice ->
          new Handling(
              new EntityInput.Events(incarnation.watching(state)),
              () -> commands.notice(state, notice));
      case AgentMessage.Apply apply ->
          new Handling(new EntityInput.Command(true), () -> commands.apply(state, apply));
      case AgentMessage.ChildEnded ended ->
          new Handling(new EntityInput.Command(false), () -> commands.childEnded(state, ended));
      case AgentMessage.Record record ->
          new Handling(
              new EntityInput.Outcome(loop.awaits(record.asked())),
              () -> commands.record(state, record));
      case AgentMessage.Ended ended ->
          new Handling(
              new EntityInput.Outcome(loop.awaits(ended.asked())),
              () -> commands.ended(state, ended));
      case AgentMessage.Deafened deafened ->
          new Handling(
              new EntityInput.Outcome(loop.awaits(deafened.asked())),
              () -> Effect().none().thenRun(loop::deafen).thenUnstashAll());
      case AgentMessage.Learned learned ->
          new Handling(new EntityInput.Learned(), () -> commands.learned(learned));
      case AgentMessage.Overdue overdue ->
          new Handling(new EntityInput.Overdue(), () -> Effect().none().thenRun(loop::overdue));
      case AgentMessage.PagesGone gone ->
          new Handling(new EntityInput.PagesGone(), () -> incarnation.pagesGone(state, gone));
      case AgentMessage.Placed placed ->
          performed(
              new EntityInput.Admitted(loop.awaits(placed.asked()), placed.missing().isEmpty()));
      case AgentMessage.Wake wake -> performed(new EntityInput.Wake());
      case AgentMessage.TakeOver takeOver -> performed(new EntityInput.TakeOver());
      case AgentMessage.Unborn unborn -> performed(new EntityInput.Impossible());
      case AgentMessage.Idle idle -> performed(new EntityInput.Idle());
      case AgentMessage.Leave leave -> performed(new EntityInput.Leave());
      case AgentMessage.LeaveNow now -> performed(new EntityInput.LeaveNow());
      case AgentMessage.Fenced fenced -> performed(new EntityInput.Fenced());
      case AgentMessage.Broken broken -> performed(new EntityInput.Fatal());
      case AgentMessage.Held held -> performed(new EntityInput.Fatal());
    };
  }

  /** A message that the actor's coming and going follow from; the agent never handles it. */
  private Handling performed(EntityInput input) {
    return new Handling(
        input,
        () -> {
          throw new IllegalStateException("agent " + agent + " has nothing to handle in " + input);
        });
  }

  private Effect<AgentEvent, AgentSnapshot> ignored(AgentMessage message) {
    if (message instanceof AgentMessage.Record record) {
      record.durable().cancel(false);
    } else if (message instanceof AgentMessage.PagesGone) {
      services.agents().pagesLost();
    }
    return Effect().none();
  }
}
