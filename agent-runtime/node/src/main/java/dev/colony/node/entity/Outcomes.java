package dev.colony.node.entity;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Verdict;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EffectFactories;

/** What comes of an agent's effects is journaled, and followed. Used by the agent's actor only. */
final class Outcomes {

  private final AgentId agent;
  private final EntityServices services;
  private final EffectFactories<AgentEvent, AgentSnapshot> effect;
  private final EffectLoop loop;
  private final Incarnation incarnation;
  private final FailureWatch failures;

  Outcomes(
      AgentId agent,
      EntityServices services,
      EffectFactories<AgentEvent, AgentSnapshot> effect,
      EffectLoop loop,
      Incarnation incarnation,
      FailureWatch failures) {
    this.agent = agent;
    this.services = services;
    this.effect = effect;
    this.loop = loop;
    this.incarnation = incarnation;
    this.failures = failures;
  }

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
