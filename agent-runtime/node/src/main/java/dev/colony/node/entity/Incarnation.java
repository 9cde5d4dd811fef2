package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.core.incarnation.EntityInput;
import dev.colony.core.incarnation.EntityMachine;
import dev.colony.core.incarnation.EntityMachine.Circumstances;
import dev.colony.core.incarnation.EntityMachine.Reaction;
import dev.colony.core.incarnation.EntityState;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.RecoveryCause;
import dev.colony.core.lifecycle.Verdict;
import dev.colony.core.logging.LogNames;
import dev.colony.journal.JournalException;
import dev.colony.journal.LostEventsException;
import dev.colony.node.pages.BoundPages;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EffectFactories;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An agent's time on this node, from the claim that ends its recovery until it leaves: does what
 * {@link EntityMachine} says. Used by the agent's actor only.
 */
final class Incarnation {

  private static final Logger LOG = LoggerFactory.getLogger(Incarnation.class);

  private final AgentId agent;
  private final EntityServices services;
  private final ActorRef<AgentMessage> self;
  private final TimerScheduler<AgentMessage> timers;
  private final AgentEntity.ShardLink shard;
  private final EffectFactories<AgentEvent, AgentSnapshot> effect;
  private final EffectLoop loop;
  private final PageBinding pages;
  private final StoreLosses losses;
  private final UnavailableInterceptor unavailable;
  private final FailureWatch failures;

  /** How long the actor has read the journal; empty once it has read it. */
  private Optional<Stopwatch> reading = Optional.of(Stopwatch.start());

  private EntityState at = EntityState.Recovering.STARTED;
  private Optional<AgentMessage.Answered> claimedWith = Optional.empty();

  /** Why the journal could not be read the last time, which is said once. */
  private String unread = "";

  Incarnation(
      AgentId agent,
      EntityServices services,
      ActorRef<AgentMessage> self,
      TimerScheduler<AgentMessage> timers,
      AgentEntity.ShardLink shard,
      EffectFactories<AgentEvent, AgentSnapshot> effect,
      EffectLoop loop,
      StoreLosses losses,
      UnavailableInterceptor unavailable,
      FailureWatch failures) {
    this.agent = agent;
    this.services = services;
    this.self = self;
    this.timers = timers;
    this.shard = shard;
    this.effect = effect;
    this.loop = loop;
    this.pages =
        new PageBinding(
            services.shared().ports().find(BoundPages.class),
            services.settings().pages().reloadAfter(),
            self::tell);
    this.losses = losses;
    this.unavailable = unavailable;
    this.failures = failures;
  }

  /** Whether the agent is claimed, so that it takes commands. */
  boolean claims() {
    return at.claims();
  }

  /** Whether the blackboard wakes the agent for just what it handles, as far as is known. */
  boolean watching(AgentSnapshot state) {
    return at.claims() && loop.watching(state);
  }

  /** What becomes of an input; the state that follows from it is taken at once. */
  Reaction react(AgentSnapshot state, EntityInput input) {
    return react(input, Circumstances.of(state, shard.unit(), services.node(), loop.resting()));
  }

  private Reaction react(EntityInput input, Circumstances circumstances) {
    EntityMachine.Step step = EntityMachine.next(at, input, circumstances);
    at = step.state();
    return step.reaction();
  }

  /** What follows for the actor from a message that no other part handles. */
  Effect<AgentEvent, AgentSnapshot> perform(
      Reaction reaction, AgentSnapshot state, AgentMessage message) {
    return switch (message) {
      case AgentMessage.Remote remote -> passOn(reaction, state, remote);
      case AgentMessage.TakeOver takeOver -> takeOver(state, takeOver);
      case AgentMessage.Unborn unborn -> unborn(unborn);
      case AgentMessage.Broken broken -> throw broken.error();
      case AgentMessage.Held held -> throw held.why();
      case AgentMessage.Fenced fenced -> fenced(state);
      case AgentMessage.Placed placed -> {
        if (reaction == Reaction.SEND_AWAY) {
          loop.sentAway(state, placed.missing().orElseThrow());
        } else {
          act(reaction, state);
        }
        yield effect.none();
      }
      case AgentMessage.Idle idle -> {
        act(reaction, state);
        yield effect.none();
      }
      case AgentMessage.Leave leave -> stop(reaction, state);
      case AgentMessage.LeaveNow now -> stop(reaction, state);
      case AgentMessage.Local own ->
          throw new IllegalStateException("agent " + agent + ": " + reaction + " of " + own);
    };
  }

  /** What has reached the wrong actor, or one of an agent that cannot be there. */
  private Effect<AgentEvent, AgentSnapshot> passOn(
      Reaction reaction, AgentSnapshot state, AgentMessage.Remote message) {
    if (reaction == Reaction.BEGIN_ANEW) {
      shard.passivate(self);
      shard.forward(shard.unit(), message);
      return effect.none();
    }
    if (reaction == Reaction.REFUSE) {
      unavailable.answer(message);
      return effect.none();
    }
    shard.forward(state.home().orElseThrow().unit(), message);
    if (reaction == Reaction.FORWARD_AND_PASSIVATE) {
      shard.passivate(self);
    }
    return effect.none();
  }

  private Effect<AgentEvent, AgentSnapshot> stop(Reaction reaction, AgentSnapshot state) {
    if (reaction == Reaction.AWAIT_ACTION) {
      timers.startSingleTimer(new AgentMessage.LeaveNow(), services.settings().leaveGrace());
      return effect.none();
    }
    if (reaction == Reaction.STOP_AND_WAKE_HOME) {
      shard.forward(state.home().orElseThrow().unit(), new AgentMessage.Wake());
    } else if (reaction == Reaction.STOP_AND_WAKE) {
      shard.wakeElsewhere();
    }
    return effect.stop();
  }

  /** What follows for the actor without a message. */
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
      case STASH,
          HANDLE,
          CLAIM_WITH,
          FORWARD,
          FORWARD_AND_PASSIVATE,
          BEGIN_ANEW,
          CLAIM,
          BEGIN,
          SEND_AWAY,
          AWAIT_ACTION,
          STOP,
          STOP_AND_WAKE,
          STOP_AND_WAKE_HOME,
          REFUSE,
          FAIL ->
          throw new IllegalStateException("agent " + agent + ": " + reaction + " in " + at);
    }
  }

  /** Goes on with the work, or leaves if it was waited with for this effect to end. */
  void goOn(AgentSnapshot state) {
    act(react(state, new EntityInput.Finished()), state);
  }

  /** Has the work follow a state that something else has changed. */
  void reconsider(AgentSnapshot state) {
    act(react(state, new EntityInput.Changed()), state);
  }

  /** The journal was read. */
  void recovered(AgentSnapshot state) {
    unread = "";
    reading.ifPresent(watch -> services.agents().recovered(watch.elapsed()));
    reading = Optional.empty();
    loop.reset();
    boolean lost = services.losses().diedUnknown(state.node());
    act(react(state, new EntityInput.Recovered(lost)), state);
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
      react(new EntityInput.Unreadable(false), Circumstances.UNKNOWN);
      unavailable.putOff(lost.getMessage() + "; an operator has to decide");
      return;
    }
    String why = "the agent cannot be recovered: " + cause.getMessage();
    if (!why.equals(unread)) {
      unread = why;
      LogNames.of(agent).run(() -> LOG.error("{}: {}", agent, why));
    }
    boolean retried =
        cause instanceof JournalException journal
            ? journal.retryable()
            : !(cause instanceof IllegalStateException);
    Reaction reaction = react(new EntityInput.Unreadable(retried), Circumstances.UNKNOWN);
    if (reaction == Reaction.REFUSE) {
      unavailable.refuse(why);
    }
  }

  /** What the agent was to begin with is not there. */
  private Effect<AgentEvent, AgentSnapshot> unborn(AgentMessage.Unborn unborn) {
    LogNames.of(agent)
        .run(() -> LOG.error("agent {} cannot be started: {}", agent, unborn.reason()));
    unavailable.refuseOnce(unborn.reason());
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
    claimedWith.filter(asked -> !failures.answered(asked.replyTo())).ifPresent(self::tell);
    claimedWith = Optional.empty();
    boolean claims = at.claims();
    react(new EntityInput.Restarted(), Circumstances.UNKNOWN);
    if (claims && failures.last().kind() == RecoveryCause.Kind.PASSING) {
      LogNames.of(agent)
          .run(() ->
              LOG.warn("agent {} failed, most likely to write its journal, and recovers", agent));
    }
  }

  /**
   * What a caller asks of an agent that is not claimed: the first message, which is why the agent
   * was started as a rule, is journaled with the claim, if it is journaled at all. It is taken
   * again where that append fails, as those that wait are.
   *
   * @param decide what the command leads to in the state after the claim
   * @param then what follows when it is durable; the state that it is given is that after both
   */
  Effect<AgentEvent, AgentSnapshot> claimWith(
      AgentSnapshot state,
      AgentMessage.Answered message,
      Function<AgentSnapshot, Verdict> decide,
      Consumer<AgentSnapshot> then) {
    if (claim(state, AgentMessage.TakeOver.UNSAID) instanceof Verdict.Journal claim) {
      AgentSnapshot taken = state;
      for (AgentEvent event : claim.events()) {
        taken = services.lifecycle().apply(taken, event);
      }
      if (decide.apply(taken) instanceof Verdict.Journal asked) {
        claimedWith = Optional.of(message);
        failures.journalsFor(message.replyTo());
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
    return services
        .lifecycle()
        .decide(
            state,
            new AgentCommand.Claim(
                takeOver.blueprint(),
                takeOver.forkSeed(),
                services.node(),
                failures.last(),
                services.now()));
  }

  private Effect<AgentEvent, AgentSnapshot> takeOver(
      AgentSnapshot state, AgentMessage.TakeOver takeOver) {
    if (failures.unclaimable().isPresent()) {
      return refuse(failures.unclaimable().get());
    }
    failures.journalsClaim();
    return switch (claim(state, takeOver)) {
      case Verdict.Journal journal ->
          effect.persist(journal.events()).thenRun(this::claimed).thenUnstashAll();
      // An agent that the directory does not know does not answer; its callers ask again.
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
    claimedWith = Optional.empty();
    react(state, new EntityInput.Claimed(state.incarnation()));
    pages.bind(state);
    unavailable.isThere();
    loop.begin(state, withoutEvents);
  }

  /** Where the agent is put away already, that lasts; where it has come to its end, it is past. */
  Effect<AgentEvent, AgentSnapshot> pagesGone(AgentSnapshot state, AgentMessage.PagesGone gone) {
    services.agents().pagesLost();
    failures.journalsWork();
    AgentCommand evicted = pages.evicted(state, gone.all(), services.now());
    return services.lifecycle().decide(state, evicted) instanceof Verdict.Journal journal
        ? effect
            .persist(journal.events())
            .thenRun(next -> {
              loop.moved(state, next);
              reconsider(next);
            })
        : effect.none();
  }

  private Effect<AgentEvent, AgentSnapshot> fenced(AgentSnapshot state) {
    LogNames.of(agent)
        .run(() ->
            LOG.info("agent {} was taken over by {}; leaving it to that", agent, state.node()));
    return effect.stop();
  }
}
