package dev.colony.node.entity;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.EntityInput;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.node.entity.EntityClient.WakeReply;
import dev.colony.node.entity.FailureWatch.StoreLosses;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EffectFactories;

/**
 * What an agent does with the messages that it handles: what the core decides is journaled, its
 * caller is answered when that is durable, and the work follows. Used by the agent's actor only.
 */
final class MessageHandler {

  private static final AcceptReply ACCEPTED = new AcceptReply.Accepted();

  private final AgentId agent;
  private final EntityServices services;
  private final EffectLoop loop;
  private final PageBinding pages;
  private final StoreLosses losses;
  private final FailureWatch failures;
  private final AgentClaim claim;
  private final RunAdmission runs;
  private final Entity entity;

  interface Entity {

    EffectFactories<AgentEvent, AgentSnapshot> effects();

    boolean claims();

    /** The claim is durable: the agent's work begins. */
    void claimed(AgentSnapshot state);

    /** Does what follows from something that was no message. */
    void follow(AgentSnapshot state, EntityInput input);
  }

  MessageHandler(
      AgentId agent,
      EntityServices services,
      EffectLoop loop,
      PageBinding pages,
      StoreLosses losses,
      FailureWatch failures,
      AgentClaim claim,
      Entity entity) {
    this.agent = agent;
    this.services = services;
    this.loop = loop;
    this.pages = pages;
    this.losses = losses;
    this.failures = failures;
    this.claim = claim;
    this.runs = new RunAdmission(agent, services);
    this.entity = entity;
  }

  /** Sees a state before it handles a message in it. */
  void look(AgentSnapshot state) {
    runs.look(state);
  }

  /** Whether the agent takes no run of this context now. */
  boolean declines(AgentMessage.Accept accept) {
    return runs.declined(accept.request().context()).isPresent();
  }

  Effect<AgentEvent, AgentSnapshot> handle(AgentSnapshot state, AgentMessage message) {
    return switch (message) {
      case AgentMessage.Accept accept -> accept(state, accept);
      case AgentMessage.Start start -> answer(start.replyTo(), ACCEPTED);
      case AgentMessage.Notice notice -> notice(state, notice);
      case AgentMessage.Apply apply ->
          told(
              state, apply, new AgentCommand.Apply(apply.intent(), apply.signal(), services.now()));
      case AgentMessage.ChildEnded ended -> childEnded(state, ended);
      case AgentMessage.Record record -> record(state, record);
      case AgentMessage.Ended ended -> ended(state, ended);
      case AgentMessage.Deafened deafened ->
          entity.effects().none().thenRun(loop::deafen).thenUnstashAll();
      case AgentMessage.Learned learned -> {
        boolean rested = loop.taking(learned.takesEvents());
        yield rested ? entity.effects().none().thenRun(this::changed) : entity.effects().none();
      }
      case AgentMessage.Overdue overdue -> entity.effects().none().thenRun(loop::overdue);
      case AgentMessage.PagesGone gone -> pagesGone(state, gone);
      case AgentMessage.Wake wake -> throw unhandled(message);
      case AgentMessage.Placed placed -> throw unhandled(message);
      case AgentMessage.Stay stay -> throw unhandled(message);
    };
  }

  private IllegalStateException unhandled(AgentMessage message) {
    return new IllegalStateException("agent " + agent + " has nothing to handle in " + message);
  }

  private <R> Effect<AgentEvent, AgentSnapshot> answer(ActorRef<R> asker, R reply) {
    return entity.effects().none().thenRun(same -> asker.tell(reply));
  }

  /** Journals events; when they are durable, others are told, then the work follows the state. */
  private Effect<AgentEvent, AgentSnapshot> journal(
      List<AgentEvent> events, Consumer<AgentSnapshot> durable) {
    return entity
        .effects()
        .persist(events)
        .thenRun(next -> {
          durable.accept(next);
          changed(next);
        });
  }

  private Effect<AgentEvent, AgentSnapshot> accept(
      AgentSnapshot state, AgentMessage.Accept accept) {
    Optional<AcceptReply> declined = runs.declined(accept.request().context());
    if (declined.isPresent()) {
      return answer(accept.replyTo(), declined.get());
    }
    if (state.finished().contains(accept.request().runId())) {
      // Where that fails, the inbox brings the request again.
      return entity
          .effects()
          .none()
          .thenRun(same -> {
            runs.settled();
            losses
                .publishAgain(accept.request())
                .thenAccept(published -> accept.replyTo().tell(ACCEPTED));
          });
    }
    return told(state, accept, new AgentCommand.AcceptRun(accept.request(), services.now()));
  }

  /**
   * Goes on with a run that waits for this child and for no other; one that waits for several looks
   * which of them live, as it does again after a crash.
   */
  private Effect<AgentEvent, AgentSnapshot> childEnded(
      AgentSnapshot state, AgentMessage.ChildEnded ended) {
    List<AgentId> awaited =
        state.active().flatMap(ActiveRun::blocked).map(Blocked::blockingAgentIds).orElse(List.of());
    if (!awaited.contains(ended.child())) {
      return answer(ended.replyTo(), new AcceptReply.Rejected("no run waits for " + ended.child()));
    }
    if (awaited.size() > 1) {
      loop.ended(ended.child());
      ended.replyTo().tell(ACCEPTED);
      return entity.effects().none().thenRun(this::changed);
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
    Optional<RunId> run =
        command instanceof AgentCommand.AcceptRun accept
            ? Optional.of(accept.request().runId())
            : Optional.empty();
    Consumer<AgentSnapshot> durable =
        next -> {
          replyTo.tell(ACCEPTED);
          loop.moved(state, next);
          run.ifPresent(accepted -> {
            runs.settled();
            services.agents().runAccepted();
          });
        };
    if (!entity.claims()) {
      return claim.with(state, message, taken -> decide(taken, command), durable);
    }
    failures.journalsFor(replyTo);
    Verdict verdict = decide(state, command);
    if (run.isPresent() && verdict instanceof Verdict.Busy) {
      runs.refused(run.get());
    } else if (run.isPresent() && !(verdict instanceof Verdict.Journal)) {
      runs.settled();
    }
    return switch (verdict) {
      case Verdict.Journal journal -> journal(journal.events(), durable);
      case Verdict.Repeated repeated -> {
        replyTo.tell(ACCEPTED);
        // What was missing here may have come with who says it again.
        yield loop.misfit()
            ? entity.effects().none().thenRun(this::changed)
            : entity.effects().none();
      }
      case Verdict.Refused refused -> answer(replyTo, new AcceptReply.Rejected(refused.reason()));
      case Verdict.Busy busy -> answer(replyTo, new AcceptReply.Busy(busy.reason()));
    };
  }

  /** A run, or another blueprint, is refused also where the agent cannot work on this node. */
  private Verdict decide(AgentSnapshot state, AgentCommand command) {
    Verdict verdict = services.lifecycle().decide(state, command);
    if (!(verdict instanceof Verdict.Journal journal)) {
      return verdict;
    }
    Optional<String> unfit =
        command instanceof AgentCommand.AcceptRun
            ? loop.unfit(state)
            : journal.events().stream()
                .filter(AgentEvent.BlueprintRevised.class::isInstance)
                .map(event -> ((AgentEvent.BlueprintRevised) event).blueprint())
                .flatMap(blueprint -> services.activations().unfit(agent, blueprint).stream())
                .findFirst();
    return unfit.<Verdict>map(Verdict.Refused::new).orElse(verdict);
  }

  private Effect<AgentEvent, AgentSnapshot> notice(
      AgentSnapshot state, AgentMessage.Notice notice) {
    failures.journalsWork();
    Position handled =
        state.watches().stream()
            .filter(watch -> watch.scope().equals(notice.scope()))
            .map(Watch::taken)
            .filter(taken -> taken.compareTo(notice.position()) > 0)
            .findFirst()
            .orElse(notice.position());
    WakeReply noticed = new WakeReply.Noticed(handled);
    AgentCommand command =
        new AgentCommand.NoticeEvents(notice.scope(), notice.position(), services.now());
    return switch (services.lifecycle().decide(state, command)) {
      case Verdict.Journal journal ->
          journal(journal.events(), next -> notice.replyTo().tell(noticed));
      case Verdict.Repeated repeated -> answer(notice.replyTo(), noticed);
      case Verdict.Refused refused -> answer(notice.replyTo(), new WakeReply.Ignored());
      case Verdict.Busy busy -> throw unexpected(state, command, busy);
    };
  }

  /** Something within an effect is journaled; the effect goes on when it is durable. */
  private Effect<AgentEvent, AgentSnapshot> record(
      AgentSnapshot state, AgentMessage.Record record) {
    failures.journalsWork();
    return switch (services.lifecycle().decide(state, record.command())) {
      case Verdict.Journal journal ->
          journal(
              journal.events(),
              next -> {
                record.durable().complete(null);
                loop.moved(state, next);
              });
      case Verdict.Repeated repeated ->
          entity.effects().none().thenRun(same -> record.durable().complete(null));
      case Verdict.Refused refused -> {
        record.durable().completeExceptionally(AgentException.refused(refused.reason()));
        yield entity.effects().none();
      }
      case Verdict.Busy busy -> throw unexpected(state, record.command(), busy);
    };
  }

  /**
   * What an effect has come to is journaled and followed; where the state has changed under the
   * effect, that is void.
   */
  private Effect<AgentEvent, AgentSnapshot> ended(AgentSnapshot state, AgentMessage.Ended ended) {
    failures.journalsWork();
    Verdict verdict = services.lifecycle().decide(state, ended.command());
    if (verdict instanceof Verdict.Refused && loop.overtaken(state)) {
      return entity.effects().none().thenRun(this::finished).thenUnstashAll();
    }
    if (!(verdict instanceof Verdict.Journal journal)) {
      throw unexpected(state, ended.command(), verdict);
    }
    return entity
        .effects()
        .persist(journal.events())
        .thenRun(next -> {
          if (completesStep(ended.command())) {
            loop.stepCompleted();
            failures.progressed();
          }
          loop.moved(state, next);
          finished(next);
        })
        .thenUnstashAll();
  }

  private static boolean completesStep(AgentCommand command) {
    return command instanceof AgentCommand.CompleteStep
        || command instanceof AgentCommand.WithReply both && completesStep(both.command());
  }

  private IllegalStateException unexpected(AgentSnapshot state, AgentCommand command, Verdict why) {
    return new IllegalStateException(
        "agent " + agent + " in phase " + state.phase() + " got " + command + ": " + why);
  }

  /** Where the agent is put away already, that lasts; where it has come to its end, it is past. */
  private Effect<AgentEvent, AgentSnapshot> pagesGone(
      AgentSnapshot state, AgentMessage.PagesGone gone) {
    services.agents().pagesLost();
    failures.journalsWork();
    AgentCommand evicted = pages.evicted(state, gone.all(), services.now());
    return services.lifecycle().decide(state, evicted) instanceof Verdict.Journal journal
        ? journal(journal.events(), next -> loop.moved(state, next))
        : entity.effects().none();
  }

  private void changed(AgentSnapshot state) {
    entity.follow(state, new EntityInput.Changed());
  }

  /** Goes on with the work, or leaves if it was waited with for this effect to end. */
  private void finished(AgentSnapshot state) {
    entity.follow(state, new EntityInput.Finished());
  }

  /**
   * Which runs an agent is asked for in vain, and when it is to be asked again. Used by the agent's
   * actor only.
   *
   * <p>Until the first run that was turned away has come again, no other one is taken: so a run
   * that is asked for later does not overtake it when there is room between the two. It is not
   * waited for without an end, since it may never come: its reader may have found that it was
   * cancelled.
   */
  static final class RunAdmission {

    private final AgentId agent;
    private final EntityServices services;
    private Optional<RunId> first = Optional.empty();
    private Instant until = Instant.MIN;
    private boolean hinted;

    RunAdmission(AgentId agent, EntityServices services) {
      this.agent = agent;
      this.services = services;
    }

    /** Has the inbox's reader come again at once, where it was sent away and there is room. */
    void look(AgentSnapshot state) {
      if (first.isPresent() && !hinted && services.lifecycle().roomy(state)) {
        hinted = true;
        services.hint(agent);
      }
    }

    /** What is answered without looking at the agent's state. */
    Optional<AcceptReply> declined(ExecutionContext context) {
      if (!context.covers(agent.scope())) {
        String why = "the request is for " + context.tenant() + "/" + context.colony();
        return Optional.of(new AcceptReply.Rejected(why + ", which is not the agent's colony"));
      }
      boolean waits =
          first.isPresent() && !first.get().equals(context.run()) && services.now().isBefore(until);
      return waits
          ? Optional.of(new AcceptReply.Busy("a run that was asked for before it waits, too"))
          : Optional.empty();
    }

    /** A run that does not wait for another's turn was turned away. */
    void refused(RunId run) {
      first = Optional.of(run);
      until =
          services.now().plus(services.bounds().inbox().lanes().busy().longest().multipliedBy(2));
      hinted = false;
    }

    /** A run that does not wait for another's turn was dealt with. */
    void settled() {
      first = Optional.empty();
    }
  }
}
