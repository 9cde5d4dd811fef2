package dev.colony.agent.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.capacity.ResourceExhausted;
import dev.colony.agent.journal.JournalException;
import dev.colony.agent.journal.LostEventsException;
import dev.colony.agent.journal.LostLogs;
import dev.colony.agent.lifecycle.AgentCommand;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.AgentSnapshot;
import dev.colony.agent.lifecycle.RecoveryCause;
import dev.colony.agent.lifecycle.Verdict;
import dev.colony.agent.logging.LogNames;
import dev.colony.agent.pages.BoundPages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EffectFactories;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An agent's time on this node: from the claim that ends its recovery until it leaves. Used by the
 * agent's actor only.
 *
 * <p>Two incarnations may be alive for a while when the cluster is split. Recovery therefore ends
 * by journaling a claim before any work starts; commands wait until it is durable, but for the
 * first one, which may be journaled in one append with it. The journal takes events only from the
 * one who wrote last, so the older incarnation fails at its next write. It cannot tell from the
 * failure whether the store is troubled or it was overtaken; after the pause it recovers and sees:
 * if another node has claimed since, it stops for good ({@link AgentMessage.Fenced}), otherwise it
 * claims again.
 *
 * <p>The sharding's passivation would count messages through the shard only and stop an agent in
 * the middle of a model call; so the agent asks for it itself, when nothing has been outstanding
 * for a while. One that has to leave with work outstanding sends itself a wake-up call, which the
 * shard region keeps until the shard has a new home.
 */
final class Incarnation {

  private static final Logger LOG = LoggerFactory.getLogger(Incarnation.class);

  private final AgentId agent;
  private final Surroundings around;
  private final ActorRef<AgentMessage> self;
  private final TimerScheduler<AgentMessage> timers;
  private final AgentEntity.ShardLink shard;
  private final EffectFactories<AgentEvent, AgentSnapshot> effect;
  private final EffectLoop loop;
  private final PageBinding pages;
  private final UnavailableInterceptor unavailable;
  private final FailureWatch failures;

  /** When the actor began to read the journal, in nanoseconds; empty once it has read it. */
  private OptionalLong began = OptionalLong.of(System.nanoTime());

  private long claimed;
  private boolean claiming;
  private Optional<Asked> claimedWith = Optional.empty();
  private boolean ready;
  private boolean leaving;
  private boolean passivates;
  private boolean missed;

  /** Why the journal could not be read the last time, which is said once. */
  private String unread = "";

  /** Whether the agent had not come to its end when the actor read its journal. */
  private boolean livesHere;

  /** What is journaled with a claim. */
  private record Asked(AgentMessage.Remote message, ActorRef<AcceptReply> replyTo) {}

  Incarnation(
      AgentId agent,
      Surroundings around,
      ActorRef<AgentMessage> self,
      TimerScheduler<AgentMessage> timers,
      AgentEntity.ShardLink shard,
      EffectFactories<AgentEvent, AgentSnapshot> effect,
      EffectLoop loop,
      UnavailableInterceptor unavailable,
      FailureWatch failures) {
    this.agent = agent;
    this.around = around;
    this.self = self;
    this.timers = timers;
    this.shard = shard;
    this.effect = effect;
    this.loop = loop;
    this.pages =
        new PageBinding(
            around.services().find(BoundPages.class),
            around.settings().pages().reloadAfter(),
            self::tell);
    this.unavailable = unavailable;
    this.failures = failures;
  }

  /** Whether the agent is claimed, so that it takes commands. */
  boolean ready() {
    return ready;
  }

  /** Goes on with the work, or leaves if it was waited with for this piece to end. */
  void goOn(AgentSnapshot state) {
    if (leaving) {
      self.tell(new AgentMessage.LeaveNow());
    } else if (elsewhere(state) && state.home().orElseThrow().known()) {
      loop.abandon();
      shard.passivate(self);
    } else {
      loop.proceed(state);
    }
  }

  /** Whether the agent lives in another placement unit than this actor. */
  boolean elsewhere(AgentSnapshot state) {
    return state.home().filter(home -> home.unit() != shard.unit()).isPresent();
  }

  /**
   * Whether the agent has come to its end in this actor. It may have been purged since, and its
   * name given to another agent, of which this actor knows nothing.
   */
  boolean ended(AgentSnapshot state) {
    return livesHere && ready && state.state().terminal() && loop.resting();
  }

  /** Has the next actor answer, which reads the journal as it is. */
  Effect<AgentEvent, AgentSnapshot> beginAnew(AgentMessage.Remote message) {
    shard.passivate(self);
    shard.forward(shard.unit(), message);
    return effect.none();
  }

  /**
   * Sends on what has reached a former home. An actor that was started by it does nothing else and
   * leaves, so that the next one reads anew where the agent lives; one that is moving stays until
   * the directory knows of it.
   */
  Effect<AgentEvent, AgentSnapshot> forward(AgentSnapshot state, AgentMessage.Remote message) {
    shard.forward(state.home().orElseThrow().unit(), message);
    if (!ready) {
      shard.passivate(self);
    }
    return effect.none();
  }

  /** Goes on with the work that has waited for a place. */
  void placed(AgentSnapshot state, Optional<ResourceExhausted> missing) {
    if (missing.isPresent() && !leaving) {
      loop.sentAway(state, missing.get());
    } else {
      goOn(state);
    }
  }

  /**
   * Has the work follow a state that something else has changed. An agent that has asked its shard
   * to let it go begins nothing any more: it is started again for what it has missed.
   */
  void reconsider(AgentSnapshot state) {
    missed |= passivates;
    if (ready && !leaving && !passivates) {
      loop.reconsider(state);
    }
  }

  /** Has the work look at the clock. */
  void overdue(AgentSnapshot state) {
    if (ready && !leaving) {
      loop.overdue(state);
    }
  }

  /** The journal was read. */
  void recovered(AgentSnapshot state) {
    ready = false;
    claiming = false;
    unread = "";
    livesHere = !state.state().terminal();
    began.ifPresent(
        start -> around.agents().recovered(Duration.ofNanos(System.nanoTime() - start)));
    began = OptionalLong.empty();
    loop.reset();
    if (leaving) {
      self.tell(new AgentMessage.LeaveNow());
    } else if (elsewhere(state)) {
      shard.passivate(self);
    } else if (claimed > 0
        && state.incarnation() > claimed
        && !state.node().equals(around.node())) {
      self.tell(new AgentMessage.Fenced());
    } else if (around.losses().diedUnknown(state.node())) {
      holdBack(state.node());
    } else if (state.blueprint().isPresent()) {
      followDecision();
      claiming = true;
      self.tell(AgentMessage.TakeOver.UNSAID);
    } else {
      loop.lookUp();
    }
  }

  /** What the agent did last on a node that died while the store went back, nothing can tell. */
  private void holdBack(String died) {
    around
        .losses()
        .hold(agent.persistenceId())
        .whenComplete((held, failure) ->
            self.tell(
                new AgentMessage.Held(
                    new IllegalStateException(
                        "the store went back when node %s died with what it knew of agent %s"
                            .formatted(died, agent),
                        failure))));
  }

  /** What an operator has decided after the store has lost events of the agent. */
  private void followDecision() {
    Optional<LostLogs.Decided> decision = around.losses().takeDecision(agent.persistenceId());
    if (decision.isEmpty()) {
      return;
    }
    long event = decision.get().event();
    switch (decision.get().decision()) {
      case CONTINUE ->
          decided("goes on without its events up to %d, which the store has lost", event);
      case CLOSE -> {
        decided("goes on without its events up to %d, and its open run ends", event);
        failures.lost(event);
      }
      case RESTORED -> {
        decided("has its events behind %d back", event);
        publishAgain(event);
      }
    }
  }

  private void decided(String what, long event) {
    LogNames.of(agent).run(() -> LOG.warn("agent {} {}", agent, what.formatted(event)));
  }

  /** The results of runs that have ended behind an event; those that are there stay as they are. */
  private void publishAgain(long behind) {
    around
        .pasts()
        .ended(agent, behind)
        .thenCompose(all ->
            CompletableFuture.allOf(
                all.stream()
                    .map(one ->
                        around
                            .results()
                            .publish(agent, one.request(), one.run(), Optional.empty())
                            .toCompletableFuture())
                    .toArray(CompletableFuture[]::new)))
        .exceptionally(failure -> {
          LogNames.of(agent)
              .run(() ->
                  LOG.warn(
                      "results of {} that the store has lost are not published again; a caller that"
                          + " asks for one under its id gets it",
                      agent,
                      failure));
          return null;
        });
  }

  /** The actor is at its end. */
  void ends() {
    loop.ends();
    pages.close();
  }

  /**
   * The journal could not be read. What may pass is tried again; otherwise its callers are refused
   * at once, and the agent leaves, so that it is tried again when it is asked for something later.
   */
  void unrecovered(Throwable failure) {
    Throwable cause = known(failure);
    if (cause instanceof LostEventsException lost) {
      // Said once, where it was found.
      unavailable.putOff(lost.getMessage() + "; an operator has to decide");
      return;
    }
    String why = "the agent cannot be recovered: " + cause.getMessage();
    if (!why.equals(unread)) {
      unread = why;
      LogNames.of(agent).run(() -> LOG.error("{}: {}", agent, why));
    }
    if (cause instanceof JournalException journal
        ? !journal.retryable()
        : cause instanceof IllegalStateException) {
      unavailable.refuse(why);
    }
  }

  /** What the agent was to begin with is not there. */
  Effect<AgentEvent, AgentSnapshot> unborn(AgentMessage.Unborn unborn) {
    LogNames.of(agent)
        .run(() -> LOG.error("agent {} cannot be started: {}", agent, unborn.reason()));
    unavailable.refuse(unborn.reason());
    return effect.none();
  }

  /** What failed, without what Pekko wraps it in: it tells the same failure twice. */
  private static Throwable known(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null
        && !(cause instanceof JournalException || cause instanceof IllegalStateException)) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** The actor has failed and is made anew. */
  void restarts() {
    ends();
    claimedWith
        .filter(asked -> !failures.answered(asked.replyTo()))
        .ifPresent(asked -> self.tell(asked.message()));
    claimedWith = Optional.empty();
    if (ready && failures.last().kind() == RecoveryCause.Kind.PASSING) {
      LogNames.of(agent)
          .run(() ->
              LOG.warn("agent {} failed, most likely to write its journal, and recovers", agent));
    }
  }

  /**
   * What somebody asks of an agent that is not claimed: whoever is the first, which is why the
   * agent was started as a rule, has it journaled with the claim, if it is journaled at all. It is
   * asked again where that append fails, as those are who wait.
   *
   * @param replyTo who is told if the journal refuses it for good
   * @param decide what the command leads to in the state after the claim
   * @param then what follows when it is durable; the state that it is given is that after both
   */
  Effect<AgentEvent, AgentSnapshot> claimWith(
      AgentSnapshot state,
      AgentMessage.Remote message,
      ActorRef<AcceptReply> replyTo,
      Function<AgentSnapshot, Verdict> decide,
      Consumer<AgentSnapshot> then) {
    boolean first = claiming;
    claiming = false;
    if (first && claim(state, AgentMessage.TakeOver.UNSAID) instanceof Verdict.Journal claim) {
      AgentSnapshot taken = state;
      for (AgentEvent event : claim.events()) {
        taken = around.lifecycle().apply(taken, event);
      }
      if (decide.apply(taken) instanceof Verdict.Journal asked) {
        claimedWith = Optional.of(new Asked(message, replyTo));
        failures.journalsFor(replyTo);
        List<AgentEvent> both = new ArrayList<>(claim.events());
        both.addAll(asked.events());
        return effect
            .persist(both)
            .thenRun(next -> {
              then.accept(next);
              claimed(next);
            })
            .thenUnstashAll();
      }
    }
    return effect.stash();
  }

  private Verdict claim(AgentSnapshot state, AgentMessage.TakeOver takeOver) {
    return around
        .lifecycle()
        .decide(
            state,
            new AgentCommand.Claim(
                takeOver.blueprint(),
                takeOver.forkSeed(),
                around.node(),
                failures.last(),
                around.now()));
  }

  Effect<AgentEvent, AgentSnapshot> takeOver(AgentSnapshot state, AgentMessage.TakeOver takeOver) {
    if (ready) {
      return effect.none();
    }
    if (failures.unclaimable().isPresent()) {
      return refuse(failures.unclaimable().get());
    }
    failures.journalsClaim();
    return switch (claim(state, takeOver)) {
      case Verdict.Journal journal ->
          effect.persist(journal.events()).thenRun(this::claimed).thenUnstashAll();
      // Nobody answers for an agent that the directory does not know; whoever asked asks again.
      case Verdict.Refused refused when state.phase() == AgentSnapshot.Phase.UNBORN ->
          effect.stop();
      case Verdict.Refused refused -> refuse(refused.reason());
      case Verdict.Repeated repeated ->
          throw new IllegalStateException("agent " + agent + " was claimed twice: " + state);
      case Verdict.Busy busy ->
          throw new IllegalStateException(
              "agent " + agent + " cannot be claimed: " + busy.reason());
    };
  }

  /** The agent cannot go on, and no run of it is open that could end instead. */
  private Effect<AgentEvent, AgentSnapshot> refuse(String why) {
    LogNames.of(agent).run(() -> LOG.error("agent {} cannot be recovered: {}", agent, why));
    unavailable.refuse("the agent cannot be recovered: " + why);
    return effect.none();
  }

  private void claimed(AgentSnapshot state) {
    boolean withoutEvents =
        failures.last().kind() == RecoveryCause.Kind.REJECTED && state.active().isEmpty();
    failures.claimed();
    claimed = state.incarnation();
    claimedWith = Optional.empty();
    ready = true;
    pages.bind(state);
    unavailable.isThere();
    loop.begin(state, withoutEvents);
  }

  /** Where the agent is put away already, that lasts; where it has come to its end, it is past. */
  Effect<AgentEvent, AgentSnapshot> pagesGone(AgentSnapshot state, AgentMessage.PagesGone gone) {
    around.agents().pagesLost();
    failures.journalsWork();
    AgentCommand evicted = pages.evicted(state, gone.all(), around.now());
    return ready && around.lifecycle().decide(state, evicted) instanceof Verdict.Journal journal
        ? effect
            .persist(journal.events())
            .thenRun(next -> {
              loop.moved(state, next);
              reconsider(next);
            })
        : effect.none();
  }

  Effect<AgentEvent, AgentSnapshot> fenced(AgentSnapshot state) {
    LogNames.of(agent)
        .run(() ->
            LOG.info("agent {} was taken over by {}; leaving it to that", agent, state.node()));
    return effect.stop();
  }

  Effect<AgentEvent, AgentSnapshot> idle() {
    if (loop.resting()) {
      passivates = true;
      shard.passivate(self);
    }
    return effect.none();
  }

  /** Leaves, once an external action that is under way has ended or has taken too long. */
  Effect<AgentEvent, AgentSnapshot> leave(AgentSnapshot state) {
    boolean external = state.active().filter(run -> run.intended().isPresent()).isPresent();
    if (ready && external && !loop.resting()) {
      leaving = true;
      timers.startSingleTimer(new AgentMessage.LeaveNow(), around.settings().leaveGrace());
      return effect.none();
    }
    return leaveNow(state);
  }

  Effect<AgentEvent, AgentSnapshot> leaveNow(AgentSnapshot state) {
    boolean waits = state.state() == AgentState.WAITING;
    boolean resting = ready && loop.resting() && !waits;
    boolean wanted = state.outstanding() && (missed || !resting) || EffectLoop.serves(state);
    if (wanted && elsewhere(state)) {
      shard.forward(state.home().orElseThrow().unit(), new AgentMessage.Wake());
    } else if (wanted) {
      shard.wakeElsewhere();
    }
    return effect.stop();
  }
}
