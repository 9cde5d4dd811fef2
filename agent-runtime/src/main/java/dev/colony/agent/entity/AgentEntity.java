package dev.colony.agent.entity;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.journal.OutstandingIndex;
import dev.colony.agent.lifecycle.ActiveRun;
import dev.colony.agent.lifecycle.AgentCommand;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.AgentSnapshot;
import dev.colony.agent.lifecycle.Lifecycle;
import dev.colony.agent.lifecycle.LifecycleCommand;
import dev.colony.agent.lifecycle.Planner;
import dev.colony.agent.lifecycle.Verdict;
import dev.colony.agent.lifecycle.Watch;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.time.Instant;
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
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actor of one agent: journals what {@link Lifecycle} decides and does what {@link Planner}
 * says.
 *
 * <p>It never waits. Work (a model call, an action, publishing a result) is started after the event
 * that calls for it is durable, and comes back as a message with the incarnation that asked for it.
 * One piece of work is under way at a time. A crash loses the work but not the state it follows
 * from, so that recovery only has to ask the planner again.
 *
 * <p>Two incarnations may be alive for a while when the cluster is split. Recovery therefore ends
 * by journaling a claim before any work starts; commands wait until it is durable. The journal
 * takes events only from the one who wrote last, so the older incarnation fails at its next write.
 * It cannot tell from the failure whether the store is troubled or it was overtaken; after the
 * pause it recovers and sees: if another node has claimed since, it stops for good ({@link
 * AgentMessage.Fenced}), otherwise it claims again.
 *
 * <p>The sharding's passivation would count messages through the shard only and stop an agent in
 * the middle of a model call; so the agent asks for it itself, when nothing has been outstanding
 * for a while. One that has to leave with work outstanding sends itself a wake-up call, which the
 * shard region keeps until the shard has a new home.
 */
final class AgentEntity extends EventSourcedBehavior<AgentMessage, AgentEvent, AgentSnapshot> {

  private static final Logger LOG = LoggerFactory.getLogger(AgentEntity.class);

  private final ActorRef<AgentMessage> self;
  private final TimerScheduler<AgentMessage> timers;
  private final Ties ties;
  private final AgentId agent;
  private final Surroundings around;
  private final Lifecycle lifecycle;
  private final WorkLoop loop;

  private long claimed;
  private boolean ready;
  private boolean leaving;

  /** How the agent's actor reaches its shard. */
  interface Ties {

    /** Asks the shard to stop this actor and to keep what arrives meanwhile. */
    void passivate(ActorRef<AgentMessage> self);

    /** Has the agent started again, wherever its shard will be. */
    void wakeElsewhere();
  }

  static Behavior<AgentMessage> create(AgentId agent, Surroundings around, Ties ties) {
    return Behaviors.<AgentMessage>supervise(
            Behaviors.setup(context ->
                Behaviors.withTimers(
                    timers -> new AgentEntity(agent, context, timers, around, ties))))
        .onFailure(Exception.class, around.restarting());
  }

  private AgentEntity(
      AgentId agent,
      ActorContext<AgentMessage> context,
      TimerScheduler<AgentMessage> timers,
      Surroundings around,
      Ties ties) {
    super(PersistenceId.ofUniqueId(agent.persistenceId()), around.restarting());
    this.self = context.getSelf();
    this.timers = timers;
    this.ties = ties;
    this.agent = agent;
    this.around = around;
    this.lifecycle = around.lifecycle();
    this.loop = new WorkLoop(agent, around, timers, self::tell);
  }

  @Override
  public AgentSnapshot emptyState() {
    return AgentSnapshot.UNBORN;
  }

  @Override
  public EventHandler<AgentSnapshot, AgentEvent> eventHandler() {
    return around.states();
  }

  @Override
  public SnapshotAdapter<AgentSnapshot> snapshotAdapter() {
    return around.states();
  }

  @Override
  public CommandHandler<AgentMessage, AgentEvent, AgentSnapshot> commandHandler() {
    return this::handle;
  }

  @Override
  public SignalHandler<AgentSnapshot> signalHandler() {
    return newSignalHandlerBuilder()
        .onSignal(RecoveryCompleted.instance(), this::recovered)
        .onSignal(RecoveryFailed.class, (state, failed) -> unrecovered(failed))
        .onSignal(PreRestart.instance(), state -> restarts())
        .onSignal(PostStop.instance(), state -> loop.abandon())
        .build();
  }

  @Override
  public Set<String> tagsFor(AgentEvent event) {
    return event
        .outstanding()
        .map(is -> Set.of(is ? OutstandingIndex.OUTSTANDING : OutstandingIndex.SETTLED))
        .orElse(Set.of());
  }

  /** How many snapshots are kept is the store's matter. */
  @Override
  public boolean shouldSnapshot(AgentSnapshot state, AgentEvent event, long sequenceNr) {
    return around.settings().snapshots().due(state, sequenceNr);
  }

  private Effect<AgentEvent, AgentSnapshot> handle(AgentSnapshot state, AgentMessage message) {
    return switch (message) {
      case AgentMessage.Accept accept -> accept(state, accept);
      case AgentMessage.Start start -> start(state, start);
      case AgentMessage.Notice notice -> notice(state, notice);
      case AgentMessage.Transition told ->
          told(
              state,
              new AgentCommand.Transition(told.command(), told.reason(), Instant.now()),
              told.replyTo());
      case AgentMessage.Cancel cancel ->
          told(
              state,
              new AgentCommand.CancelRun(cancel.run(), cancel.reason(), Instant.now()),
              cancel.replyTo());
      case AgentMessage.ChildEnded ended -> childEnded(state, ended);
      case AgentMessage.Wake wake -> Effect().none();
      case AgentMessage.TakeOver takeOver -> takeOver(state, takeOver);
      case AgentMessage.Record record -> record(state, record);
      case AgentMessage.Ended ended -> ended(state, ended);
      case AgentMessage.Learned learned -> learned(learned);
      case AgentMessage.Deafened deafened -> deafened(deafened);
      case AgentMessage.Overdue overdue -> overdue();
      case AgentMessage.Idle idle -> idle();
      case AgentMessage.Leave leave -> leave(state);
      case AgentMessage.LeaveNow now -> leaveNow(state);
      case AgentMessage.Fenced fenced -> {
        LOG.info("agent {} was taken over by {}; leaving it to that", agent, state.node());
        yield Effect().stop();
      }
      case AgentMessage.Broken broken -> throw broken.error();
    };
  }

  private void recovered(AgentSnapshot state) {
    ready = false;
    loop.reset();
    if (leaving) {
      self.tell(new AgentMessage.LeaveNow());
    } else if (claimed > 0
        && state.incarnation() > claimed
        && !state.node().equals(around.node())) {
      self.tell(new AgentMessage.Fenced());
    } else if (state.blueprint().isPresent()) {
      self.tell(new AgentMessage.TakeOver(Optional.empty()));
    } else {
      loop.lookUp();
    }
  }

  private void unrecovered(RecoveryFailed failed) {
    LOG.error("agent {} cannot be recovered: {}", agent, failed.getFailure().getMessage());
  }

  private void restarts() {
    loop.abandon();
    if (ready) {
      LOG.warn("agent {} failed, most likely to write its journal, and recovers", agent);
    }
  }

  private Effect<AgentEvent, AgentSnapshot> takeOver(
      AgentSnapshot state, AgentMessage.TakeOver takeOver) {
    AgentCommand claim = new AgentCommand.Claim(
            takeOver.blueprint(), Optional.empty(), around.node(), Instant.now());
    return switch (lifecycle.decide(state, claim)) {
      case Verdict.Journal journal ->
          Effect().persist(journal.events()).thenRun(this::claimed).thenUnstashAll();
      // Nobody answers for an agent that the directory does not know; whoever asked asks again.
      case Verdict.Refused refused -> Effect().stop();
      case Verdict.Repeated repeated -> throw unexpected(state, claim, repeated);
    };
  }

  private void claimed(AgentSnapshot state) {
    claimed = state.incarnation();
    ready = true;
    loop.begin(state);
  }

  private Effect<AgentEvent, AgentSnapshot> accept(
      AgentSnapshot state, AgentMessage.Accept accept) {
    ExecutionContext context = accept.request().context();
    if (!context.covers(agent.scope())) {
      String why = "the request is for " + context.tenant() + "/" + context.colony();
      accept.replyTo().tell(new AcceptReply.Rejected(why + ", which is not the agent's colony"));
      return Effect().none();
    }
    AgentCommand command = new AgentCommand.AcceptRun(accept.request(), Instant.now());
    return told(state, command, accept.replyTo());
  }

  /** Goes on only with a run that waits for this very child. */
  private Effect<AgentEvent, AgentSnapshot> childEnded(
      AgentSnapshot state, AgentMessage.ChildEnded ended) {
    if (!ready) {
      return Effect().stash();
    }
    boolean awaited =
        state
            .active()
            .flatMap(ActiveRun::parked)
            .filter(parked -> parked.blockingAgentIds().contains(ended.child()))
            .isPresent();
    if (!awaited) {
      ended.replyTo().tell(new AcceptReply.Rejected("no run waits for " + ended.child()));
      return Effect().none();
    }
    AgentCommand unblock =
        new AgentCommand.Transition(LifecycleCommand.UNBLOCK, ended.reason(), Instant.now());
    return told(state, unblock, ended.replyTo());
  }

  /** Journals what somebody asks for, and answers when it is durable. */
  private Effect<AgentEvent, AgentSnapshot> told(
      AgentSnapshot state, AgentCommand command, ActorRef<AcceptReply> replyTo) {
    if (!ready) {
      return Effect().stash();
    }
    return switch (lifecycle.decide(state, command)) {
      case Verdict.Journal journal ->
          Effect()
              .persist(journal.events())
              .thenRun(next -> {
                replyTo.tell(new AcceptReply.Accepted());
                if (command instanceof AgentCommand.Transition moved
                    && moved.command() != LifecycleCommand.UNBLOCK) {
                  loop.makeKnown(next);
                }
                reconsider(next);
              });
      case Verdict.Repeated repeated ->
          Effect().none().thenRun(same -> replyTo.tell(new AcceptReply.Accepted()));
      case Verdict.Refused refused ->
          Effect().none().thenRun(same -> replyTo.tell(new AcceptReply.Rejected(refused.reason())));
    };
  }

  private Effect<AgentEvent, AgentSnapshot> start(AgentSnapshot state, AgentMessage.Start start) {
    return ready && loop.watching(state)
        ? Effect().none().thenRun(same -> start.replyTo().tell(new AcceptReply.Accepted()))
        : Effect().stash();
  }

  private Effect<AgentEvent, AgentSnapshot> notice(
      AgentSnapshot state, AgentMessage.Notice notice) {
    // The wake may be quicker than the event that says that the scope is watched.
    if (!ready || !loop.watching(state)) {
      return Effect().stash();
    }
    WakeReply noticed = new WakeReply.Noticed(latest(notice.position(), state, notice.scope()));
    AgentCommand command =
        new AgentCommand.NoticeEvents(notice.scope(), notice.position(), Instant.now());
    return switch (lifecycle.decide(state, command)) {
      case Verdict.Journal journal ->
          Effect()
              .persist(journal.events())
              .thenRun(next -> {
                notice.replyTo().tell(noticed);
                reconsider(next);
              });
      case Verdict.Repeated repeated ->
          Effect().none().thenRun(same -> notice.replyTo().tell(noticed));
      case Verdict.Refused refused ->
          Effect().none().thenRun(same -> notice.replyTo().tell(new WakeReply.Ignored()));
    };
  }

  /** The position, or what runs were started for, if that is later. */
  private static Position latest(Position position, AgentSnapshot state, Scope scope) {
    return state.watches().stream()
        .filter(watch -> watch.scope().equals(scope) && watch.taken().compareTo(position) > 0)
        .findFirst()
        .map(Watch::taken)
        .orElse(position);
  }

  private Effect<AgentEvent, AgentSnapshot> record(
      AgentSnapshot state, AgentMessage.Record record) {
    if (!ready || !loop.awaits(record.asked())) {
      record.durable().cancel(false);
      return Effect().none();
    }
    return switch (lifecycle.decide(state, record.command())) {
      case Verdict.Journal journal ->
          Effect()
              .persist(journal.events())
              .thenRun(next -> {
                record.durable().complete(null);
                reconsider(next);
              });
      case Verdict.Repeated repeated ->
          Effect().none().thenRun(same -> record.durable().complete(null));
      case Verdict.Refused refused -> {
        record.durable().completeExceptionally(AgentException.refused(refused.reason()));
        yield Effect().none();
      }
    };
  }

  private Effect<AgentEvent, AgentSnapshot> ended(AgentSnapshot state, AgentMessage.Ended ended) {
    if (!ready || !loop.awaits(ended.asked())) {
      return Effect().none();
    }
    return switch (lifecycle.decide(state, ended.command())) {
      case Verdict.Journal journal ->
          Effect()
              .persist(journal.events())
              .thenRun(next -> journaled(ended.command(), next))
              .thenUnstashAll();
      case Verdict.Repeated repeated -> throw unexpected(state, ended.command(), repeated);
      // The state has changed under the work, which is void then.
      case Verdict.Refused refused when loop.overtaken(state) ->
          Effect().none().thenRun(this::goOn).thenUnstashAll();
      case Verdict.Refused refused -> throw unexpected(state, ended.command(), refused);
    };
  }

  private void journaled(AgentCommand command, AgentSnapshot state) {
    if (command instanceof AgentCommand.CompleteStep) {
      loop.stepCompleted();
    }
    goOn(state);
  }

  private void goOn(AgentSnapshot state) {
    if (leaving) {
      self.tell(new AgentMessage.LeaveNow());
    } else {
      loop.proceed(state);
    }
  }

  private void reconsider(AgentSnapshot state) {
    if (ready && !leaving) {
      loop.reconsider(state);
    }
  }

  private Effect<AgentEvent, AgentSnapshot> overdue() {
    return Effect()
        .none()
        .thenRun(state -> {
          if (ready && !leaving) {
            loop.overdue(state);
          }
        });
  }

  private Effect<AgentEvent, AgentSnapshot> learned(AgentMessage.Learned learned) {
    loop.learned(learned.takesEvents());
    return Effect()
        .none()
        .thenRun(state -> {
          if (loop.waitsToLearn()) {
            reconsider(state);
          }
        });
  }

  private Effect<AgentEvent, AgentSnapshot> deafened(AgentMessage.Deafened deafened) {
    if (!ready || !loop.awaits(deafened.asked())) {
      return Effect().none();
    }
    return Effect().none().thenRun(loop::deafen).thenUnstashAll();
  }

  private Effect<AgentEvent, AgentSnapshot> idle() {
    if (loop.resting()) {
      ties.passivate(self);
    }
    return Effect().none();
  }

  private Effect<AgentEvent, AgentSnapshot> leave(AgentSnapshot state) {
    boolean external = state.active().filter(run -> run.intended().isPresent()).isPresent();
    if (ready && external && !loop.resting()) {
      leaving = true;
      timers.startSingleTimer(new AgentMessage.LeaveNow(), around.settings().leaveGrace());
      return Effect().none();
    }
    return leaveNow(state);
  }

  private Effect<AgentEvent, AgentSnapshot> leaveNow(AgentSnapshot state) {
    boolean waits = state.state() == AgentState.WAITING;
    boolean resting = ready && loop.resting() && !waits;
    if (state.outstanding() && !resting || WorkLoop.serves(state)) {
      ties.wakeElsewhere();
    }
    return Effect().stop();
  }

  private IllegalStateException unexpected(AgentSnapshot state, AgentCommand command, Verdict why) {
    return new IllegalStateException(
        "agent " + agent + " in phase " + state.phase() + " got " + command + ": " + why);
  }
}
