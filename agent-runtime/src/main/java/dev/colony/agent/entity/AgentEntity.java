package dev.colony.agent.entity;

import dev.colony.agent.Action;
import dev.colony.agent.AgentId;
import dev.colony.agent.journal.OutstandingIndex;
import dev.colony.agent.lifecycle.AgentCommand;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.AgentState;
import dev.colony.agent.lifecycle.Lifecycle;
import dev.colony.agent.lifecycle.Planner;
import dev.colony.agent.lifecycle.Verdict;
import dev.colony.agent.lifecycle.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.BackoffSupervisorStrategy;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.RecoveryCompleted;
import org.apache.pekko.persistence.typed.RecoveryFailed;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

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
final class AgentEntity extends EventSourcedBehavior<AgentMessage, AgentEvent, AgentState> {

  private static final Logger LOG = LoggerFactory.getLogger(AgentEntity.class);
  private static final double JITTER = 0.2;
  private static final int SNAPSHOTS_KEPT = 1;
  private static final String IDLE = "idle";

  private final ActorRef<AgentMessage> self;
  private final TimerScheduler<AgentMessage> timers;
  private final Ties ties;
  private final AgentId agent;
  private final Surroundings around;
  private final Lifecycle lifecycle;

  private Planner planner;
  private Faculties faculties;
  private long claimed;
  private boolean ready;
  private boolean leaving;
  private Work work = new Work.Nothing();
  private Running running = new Running();
  private long stepStartedNanos;

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
        .onFailure(Exception.class, restarting(around.settings()));
  }

  private AgentEntity(
      AgentId agent,
      ActorContext<AgentMessage> context,
      TimerScheduler<AgentMessage> timers,
      Surroundings around,
      Ties ties) {
    super(PersistenceId.ofUniqueId(agent.persistenceId()), restarting(around.settings()));
    this.self = context.getSelf();
    this.timers = timers;
    this.ties = ties;
    this.agent = agent;
    this.around = around;
    this.lifecycle = new Lifecycle(around.settings().limits());
  }

  /** Its stack traces are for debugging; {@link #signalHandler} says in a line what happened. */
  private static BackoffSupervisorStrategy restarting(AgentSettings settings) {
    Backoff backoff = settings.journalBackoff();
    return SupervisorStrategy.restartWithBackoff(backoff.shortest(), backoff.longest(), JITTER)
        .withLogLevel(Level.DEBUG);
  }

  @Override
  public AgentState emptyState() {
    return AgentState.UNBORN;
  }

  @Override
  public EventHandler<AgentState, AgentEvent> eventHandler() {
    return lifecycle::apply;
  }

  @Override
  public CommandHandler<AgentMessage, AgentEvent, AgentState> commandHandler() {
    return this::handle;
  }

  @Override
  public SignalHandler<AgentState> signalHandler() {
    return newSignalHandlerBuilder()
        .onSignal(RecoveryCompleted.instance(), this::recovered)
        .onSignal(RecoveryFailed.class, (state, failed) -> unrecovered(failed))
        .onSignal(PreRestart.instance(), state -> restarts())
        .onSignal(PostStop.instance(), state -> running.cancel())
        .build();
  }

  @Override
  public Set<String> tagsFor(AgentEvent event) {
    return switch (event) {
      case AgentEvent.RunAccepted accepted when accepted.ahead() == 0 ->
          Set.of(OutstandingIndex.OUTSTANDING);
      case AgentEvent.ResultPublished published when published.left() == 0 ->
          Set.of(OutstandingIndex.SETTLED);
      default -> Set.of();
    };
  }

  @Override
  public RetentionCriteria retentionCriteria() {
    return RetentionCriteria.snapshotEvery(around.settings().snapshotEvery(), SNAPSHOTS_KEPT)
        .withDeleteEventsOnSnapshot();
  }

  private Effect<AgentEvent, AgentState> handle(AgentState state, AgentMessage message) {
    return switch (message) {
      case AgentMessage.Accept accept -> accept(state, accept);
      case AgentMessage.Wake wake -> Effect().none();
      case AgentMessage.TakeOver takeOver -> takeOver(state, takeOver);
      case AgentMessage.Ended ended -> ended(state, ended);
      case AgentMessage.Idle idle -> idle(state);
      case AgentMessage.Leave leave -> leave(state);
      case AgentMessage.LeaveNow now -> leaveNow(state);
      case AgentMessage.Fenced fenced -> {
        LOG.info("agent {} was taken over by {}; leaving it to that", agent, state.node());
        yield Effect().stop();
      }
    };
  }

  private void recovered(AgentState state) {
    ready = false;
    running = new Running();
    if (claimed > 0 && state.incarnation() > claimed && !state.node().equals(around.node())) {
      self.tell(new AgentMessage.Fenced());
    } else if (state.blueprint().isPresent()) {
      self.tell(new AgentMessage.TakeOver(Optional.empty()));
    } else {
      askDirectory();
    }
  }

  private void unrecovered(RecoveryFailed failed) {
    LOG.error("agent {} cannot be recovered: {}", agent, failed.getFailure().getMessage());
  }

  private void restarts() {
    running.cancel();
    if (ready) {
      LOG.warn("agent {} failed, most likely to write its journal, and recovers", agent);
    }
  }

  private void askDirectory() {
    Running lookup = running;
    around
        .settings()
        .blackboardBackoff()
        .repeat(
            "looking up agent " + agent, lookup::cancelled, () -> around.directory().find(agent))
        .whenComplete((found, failure) -> {
          if (failure != null && !lookup.cancelled()) {
            LOG.error("agent {} cannot be looked up", agent, Backoff.cause(failure));
          }
          if (!lookup.cancelled()) {
            self.tell(
                new AgentMessage.TakeOver(
                    failure == null ? found.map(entry -> entry.blueprint()) : Optional.empty()));
          }
        });
  }

  private Effect<AgentEvent, AgentState> takeOver(
      AgentState state, AgentMessage.TakeOver takeOver) {
    AgentCommand claim = new AgentCommand.Claim(takeOver.blueprint(), around.node(), Instant.now());
    return switch (lifecycle.decide(state, claim)) {
      case Verdict.Journal journal ->
          Effect().persist(journal.events()).thenRun(this::claimed).thenUnstashAll();
      // Nobody answers for an agent that the directory does not know; whoever asked asks again.
      case Verdict.Refused refused -> Effect().stop();
      case Verdict.Repeated repeated -> throw unexpected(state, claim, repeated);
    };
  }

  private void claimed(AgentState state) {
    faculties =
        Faculties.build(agent, state.blueprint().orElseThrow(), around.types(), around.services());
    planner = new Planner(agent, faculties.policy(), around.settings().limits());
    claimed = state.incarnation();
    ready = true;
    stepStartedNanos = System.nanoTime();
    proceed(state);
  }

  private Effect<AgentEvent, AgentState> accept(AgentState state, AgentMessage.Accept accept) {
    if (!ready) {
      return Effect().stash();
    }
    AgentCommand command = new AgentCommand.AcceptRun(accept.request(), Instant.now());
    return switch (lifecycle.decide(state, command)) {
      case Verdict.Journal journal ->
          Effect()
              .persist(journal.events())
              .thenRun(next -> {
                accept.replyTo().tell(new AcceptReply.Accepted());
                if (!state.outstanding()) {
                  timers.cancel(IDLE);
                  stepStartedNanos = System.nanoTime();
                  proceed(next);
                }
              });
      case Verdict.Repeated repeated ->
          Effect().none().thenRun(same -> accept.replyTo().tell(new AcceptReply.Accepted()));
      case Verdict.Refused refused ->
          Effect()
              .none()
              .thenRun(same -> accept.replyTo().tell(new AcceptReply.Rejected(refused.reason())));
    };
  }

  private Effect<AgentEvent, AgentState> ended(AgentState state, AgentMessage.Ended ended) {
    if (!ready || ended.incarnation() != claimed) {
      return Effect().none();
    }
    return switch (lifecycle.decide(state, ended.command())) {
      case Verdict.Journal journal ->
          Effect().persist(journal.events()).thenRun(next -> journaled(ended.command(), next));
      case Verdict.Repeated repeated -> throw unexpected(state, ended.command(), repeated);
      case Verdict.Refused refused -> throw unexpected(state, ended.command(), refused);
    };
  }

  private void journaled(AgentCommand command, AgentState state) {
    if (command instanceof AgentCommand.CompleteStep) {
      long now = System.nanoTime();
      around.listener().stepCompleted(agent, Duration.ofNanos(now - stepStartedNanos));
      stepStartedNanos = now;
    }
    if (leaving) {
      self.tell(new AgentMessage.LeaveNow());
    } else {
      proceed(state);
    }
  }

  private void proceed(AgentState state) {
    work = planner.next(state, Instant.now());
    Running now = new Running();
    running = now;
    long incarnation = claimed;
    switch (work) {
      case Work.Nothing nothing ->
          timers.startSingleTimer(
              IDLE, new AgentMessage.Idle(), around.settings().passivateAfter());
      case Work.Tell tell -> self.tell(new AgentMessage.Ended(incarnation, tell.command()));
      case Work.CallModel call ->
          around.models().start(call, now, command -> back(now, incarnation, command));
      case Work.Execute execute ->
          around
              .actions()
              .start(
                  agent,
                  execute,
                  faculties.executor(execute.action().key()),
                  now,
                  command -> back(now, incarnation, command));
      case Work.Publish publish -> publish(publish, now, incarnation);
    }
  }

  private void publish(Work.Publish publish, Running now, long incarnation) {
    around
        .settings()
        .blackboardBackoff()
        .repeat(
            "publishing the result of run " + publish.run().runId(),
            now::cancelled,
            () ->
                around
                    .results()
                    .publish(agent.scope().namespace(publish.request().namespace()), publish.run()))
        .whenComplete((written, failure) -> {
          if (failure == null) {
            back(
                now,
                incarnation,
                new AgentCommand.ConfirmPublished(publish.run().runId(), Instant.now()));
          } else if (!now.cancelled()) {
            LOG.error(
                "the result of run {} of {} cannot be published; it is tried again when the"
                    + " agent starts again",
                publish.run().runId(),
                agent,
                Backoff.cause(failure));
          }
        });
  }

  /** Called on any thread. */
  private void back(Running asked, long incarnation, AgentCommand command) {
    if (!asked.cancelled()) {
      self.tell(new AgentMessage.Ended(incarnation, command));
    }
  }

  private Effect<AgentEvent, AgentState> idle(AgentState state) {
    if (!state.outstanding()) {
      ties.passivate(self);
    }
    return Effect().none();
  }

  private Effect<AgentEvent, AgentState> leave(AgentState state) {
    if (ready && work instanceof Work.Execute execute && external(execute)) {
      leaving = true;
      timers.startSingleTimer(new AgentMessage.LeaveNow(), around.settings().leaveGrace());
      return Effect().none();
    }
    return leaveNow(state);
  }

  private Effect<AgentEvent, AgentState> leaveNow(AgentState state) {
    if (state.outstanding()) {
      ties.wakeElsewhere();
    }
    return Effect().stop();
  }

  private static boolean external(Work.Execute execute) {
    return execute.action().effect() == Action.Effect.EXTERNAL;
  }

  private IllegalStateException unexpected(AgentState state, AgentCommand command, Verdict why) {
    return new IllegalStateException(
        "agent " + agent + " in phase " + state.phase() + " got " + command + ": " + why);
  }
}
