package dev.colony.node.entity;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.core.incarnation.EntityInput;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Blocked;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.lifecycle.LifecycleCommand;
import dev.colony.core.lifecycle.Verdict;
import dev.colony.core.lifecycle.Watch;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EffectFactories;

/**
 * The commands of an agent: what others ask of it, and what has come of its effects. Each is
 * decided by the core, journaled, then answered, then followed; what is asked before the agent is
 * claimed waits. Used by the agent's actor only.
 */
final class Commands {

  private final AgentId agent;
  private final EntityServices services;
  private final EffectFactories<AgentEvent, AgentSnapshot> effect;
  private final EffectLoop loop;
  private final Incarnation incarnation;
  private final FailureWatch failures;
  private final StoreLosses losses;
  private final AdmissionOrder admission;
  private boolean told;

  Commands(
      AgentId agent,
      EntityServices services,
      EffectFactories<AgentEvent, AgentSnapshot> effect,
      EffectLoop loop,
      Incarnation incarnation,
      StoreLosses losses,
      FailureWatch failures) {
    this.agent = agent;
    this.services = services;
    this.effect = effect;
    this.loop = loop;
    this.incarnation = incarnation;
    this.losses = losses;
    this.failures = failures;
    this.admission =
        new AdmissionOrder(services.settings().inbox().bounds().busy().longest().multipliedBy(2));
  }

  /** Has the inbox's reader come again at once, where it was sent away and there is room. */
  void look(AgentSnapshot state) {
    if (admission.waiting() && !told && services.lifecycle().roomy(state)) {
      told = true;
      services.hint(agent);
    }
  }

  /** What a request for a run is to the agent's actor. */
  EntityInput input(AgentSnapshot state, AgentMessage.Accept accept) {
    return declined(accept.request().context()).isPresent()
        ? new EntityInput.Declined()
        : new EntityInput.Command(!state.finished().contains(accept.request().runId()));
  }

  /** What is answered without looking at the agent's state. */
  private Optional<AcceptReply> declined(ExecutionContext context) {
    if (!context.covers(agent.scope())) {
      String why = "the request is for " + context.tenant() + "/" + context.colony();
      return Optional.of(new AcceptReply.Rejected(why + ", which is not the agent's colony"));
    }
    return admission.mustWait(context.run(), services.now())
        ? Optional.of(new AcceptReply.Busy("a run that was asked for before it waits, too"))
        : Optional.empty();
  }

  Effect<AgentEvent, AgentSnapshot> accept(AgentSnapshot state, AgentMessage.Accept accept) {
    ExecutionContext context = accept.request().context();
    Optional<AcceptReply> declined = declined(context);
    if (declined.isPresent()) {
      accept.replyTo().tell(declined.get());
      return effect.none();
    }
    if (state.finished().contains(context.run())) {
      return effect.none().thenRun(same -> publishAgain(accept));
    }
    AgentCommand command = new AgentCommand.AcceptRun(accept.request(), services.now());
    return told(state, accept, command);
  }

  /** Where the store has lost the result; where that fails, the inbox brings the request again. */
  private void publishAgain(AgentMessage.Accept accept) {
    admission.settled();
    losses
        .publishAgain(accept.request())
        .thenAccept(published -> accept.replyTo().tell(new AcceptReply.Accepted()));
  }

  Effect<AgentEvent, AgentSnapshot> apply(AgentSnapshot state, AgentMessage.Apply apply) {
    return told(
        state, apply, new AgentCommand.Apply(apply.intent(), apply.signal(), services.now()));
  }

  /**
   * Goes on with a run that waits for this child and for no other; one that waits for several looks
   * which of them live, as it does again after a crash.
   */
  Effect<AgentEvent, AgentSnapshot> childEnded(AgentSnapshot state, AgentMessage.ChildEnded ended) {
    List<AgentId> awaited =
        state.active().flatMap(ActiveRun::blocked).map(Blocked::blockingAgentIds).orElse(List.of());
    if (!awaited.contains(ended.child())) {
      ended.replyTo().tell(new AcceptReply.Rejected("no run waits for " + ended.child()));
      return effect.none();
    }
    if (awaited.size() > 1) {
      loop.ended(ended.child());
      ended.replyTo().tell(new AcceptReply.Accepted());
      return effect.none().thenRun(incarnation::reconsider);
    }
    AgentCommand unblock =
        new AgentCommand.Apply(
            new Intent.ChangeState(LifecycleCommand.UNBLOCK, ended.reason()), services.now());
    return told(state, ended, unblock);
  }

  /** Journals what a caller asks for, and answers when it is durable. */
  private Effect<AgentEvent, AgentSnapshot> told(
      AgentSnapshot state, AgentMessage.Answered message, AgentCommand command) {
    ActorRef<AcceptReply> replyTo = message.replyTo();
    Consumer<AgentSnapshot> durable =
        next -> {
          replyTo.tell(new AcceptReply.Accepted());
          loop.moved(state, next);
          if (command instanceof AgentCommand.AcceptRun) {
            admission.settled();
            services.agents().runAccepted();
          }
        };
    if (!incarnation.claims()) {
      return incarnation.claimWith(state, message, taken -> decide(taken, command), durable);
    }
    failures.journalsFor(replyTo);
    return switch (decide(state, command)) {
      case Verdict.Journal journal ->
          effect
              .persist(journal.events())
              .thenRun(next -> {
                durable.accept(next);
                incarnation.reconsider(next);
              });
      case Verdict.Repeated repeated -> answered(command, replyTo, new AcceptReply.Accepted());
      case Verdict.Refused refused ->
          answered(command, replyTo, new AcceptReply.Rejected(refused.reason()));
      case Verdict.Busy busy -> {
        if (command instanceof AgentCommand.AcceptRun run) {
          admission.refused(run.request().runId(), services.now());
          told = false;
        }
        yield effect.none().thenRun(same -> replyTo.tell(new AcceptReply.Busy(busy.reason())));
      }
    };
  }

  private Effect<AgentEvent, AgentSnapshot> answered(
      AgentCommand command, ActorRef<AcceptReply> replyTo, AcceptReply reply) {
    if (command instanceof AgentCommand.AcceptRun) {
      admission.settled();
    }
    return effect.none().thenRun(same -> replyTo.tell(reply));
  }

  /** A run is refused also where the agent cannot work on this node. */
  private Verdict decide(AgentSnapshot state, AgentCommand command) {
    Verdict verdict = services.lifecycle().decide(state, command);
    boolean run = command instanceof AgentCommand.AcceptRun && verdict instanceof Verdict.Journal;
    Optional<String> unfit = run ? loop.unfit(state) : revised(verdict);
    return unfit.<Verdict>map(Verdict.Refused::new).orElse(verdict);
  }

  /** Why the agent could not live on this node by a blueprint; empty if it could. */
  private Optional<String> revised(Verdict verdict) {
    if (!(verdict instanceof Verdict.Journal journal)) {
      return Optional.empty();
    }
    return journal.events().stream()
        .filter(AgentEvent.BlueprintRevised.class::isInstance)
        .map(event -> ((AgentEvent.BlueprintRevised) event).blueprint())
        .flatMap(blueprint -> services.activations().unfit(agent, blueprint).stream())
        .findFirst();
  }

  Effect<AgentEvent, AgentSnapshot> start(AgentMessage.Start start) {
    return effect.none().thenRun(same -> start.replyTo().tell(new AcceptReply.Accepted()));
  }

  Effect<AgentEvent, AgentSnapshot> notice(AgentSnapshot state, AgentMessage.Notice notice) {
    failures.journalsWork();
    WakeReply noticed = new WakeReply.Noticed(latest(notice.position(), state, notice.scope()));
    AgentCommand command =
        new AgentCommand.NoticeEvents(notice.scope(), notice.position(), services.now());
    return switch (services.lifecycle().decide(state, command)) {
      case Verdict.Journal journal ->
          effect
              .persist(journal.events())
              .thenRun(next -> {
                notice.replyTo().tell(noticed);
                incarnation.reconsider(next);
              });
      case Verdict.Repeated repeated ->
          effect.none().thenRun(same -> notice.replyTo().tell(noticed));
      case Verdict.Refused refused ->
          effect.none().thenRun(same -> notice.replyTo().tell(new WakeReply.Ignored()));
      case Verdict.Busy busy ->
          throw new IllegalStateException(
              "news of %s is never too much for agent %s: %s"
                  .formatted(notice.scope(), agent, busy.reason()));
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

  /** Something within an effect is journaled; the effect goes on when it is durable. */
  Effect<AgentEvent, AgentSnapshot> record(AgentSnapshot state, AgentMessage.Record record) {
    failures.journalsWork();
    return switch (services.lifecycle().decide(state, record.command())) {
      case Verdict.Journal journal ->
          effect
              .persist(journal.events())
              .thenRun(next -> {
                record.durable().complete(null);
                loop.moved(state, next);
                incarnation.reconsider(next);
              });
      case Verdict.Repeated repeated ->
          effect.none().thenRun(same -> record.durable().complete(null));
      case Verdict.Refused refused -> {
        record.durable().completeExceptionally(AgentException.refused(refused.reason()));
        yield effect.none();
      }
      case Verdict.Busy busy -> throw unexpected(state, record.command(), busy);
    };
  }

  /** What an effect has come to is journaled and followed. */
  Effect<AgentEvent, AgentSnapshot> ended(AgentSnapshot state, AgentMessage.Ended ended) {
    failures.journalsWork();
    return switch (services.lifecycle().decide(state, ended.command())) {
      case Verdict.Journal journal ->
          effect
              .persist(journal.events())
              .thenRun(next -> journaled(ended.command(), state, next))
              .thenUnstashAll();
      case Verdict.Repeated repeated -> throw unexpected(state, ended.command(), repeated);
      // The state has changed under the work, which is void then.
      case Verdict.Refused refused when loop.overtaken(state) ->
          effect.none().thenRun(incarnation::goOn).thenUnstashAll();
      case Verdict.Refused refused -> throw unexpected(state, ended.command(), refused);
      case Verdict.Busy busy -> throw unexpected(state, ended.command(), busy);
    };
  }

  private void journaled(AgentCommand command, AgentSnapshot before, AgentSnapshot state) {
    if (command instanceof AgentCommand.CompleteStep) {
      loop.stepCompleted();
      failures.progressed();
    }
    loop.moved(before, state);
    incarnation.goOn(state);
  }

  Effect<AgentEvent, AgentSnapshot> learned(AgentMessage.Learned learned) {
    loop.learned(learned.takesEvents());
    return effect
        .none()
        .thenRun(state -> {
          if (loop.waitsToLearn()) {
            incarnation.reconsider(state);
          }
        });
  }

  private IllegalStateException unexpected(AgentSnapshot state, AgentCommand command, Verdict why) {
    return new IllegalStateException(
        "agent " + agent + " in phase " + state.phase() + " got " + command + ": " + why);
  }
}
