package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.core.dispatch.LogNames;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.node.entity.MessageHandler.Entity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claim of an agent by this process: it is journaled before anything else is, alone or with
 * what the first caller asks for. Used by the agent's actor only.
 */
final class AgentClaim {

  private static final Logger LOG = LoggerFactory.getLogger(AgentClaim.class);

  private final AgentId agent;
  private final EntityServices services;
  private final FailureWatch failures;
  private final UnavailableInterceptor unavailable;
  private final Entity entity;

  /** The message that was journaled with a claim which is not durable yet. */
  private Optional<AgentMessage.Answered> message = Optional.empty();

  AgentClaim(
      AgentId agent,
      EntityServices services,
      FailureWatch failures,
      UnavailableInterceptor unavailable,
      Entity entity) {
    this.agent = agent;
    this.services = services;
    this.failures = failures;
    this.unavailable = unavailable;
    this.entity = entity;
  }

  /**
   * What a caller asks of an agent that is not claimed: the first message, which is why the agent
   * was started as a rule, is journaled with the claim, if it is journaled at all. It is taken
   * again where that append fails, as those that wait are.
   *
   * @param decide what the command leads to in the state after the claim
   * @param durable what follows then; the state that it is given is that after both
   */
  Effect<AgentEvent, AgentSnapshot> with(
      AgentSnapshot state,
      AgentMessage.Answered asking,
      Function<AgentSnapshot, Verdict> decide,
      Consumer<AgentSnapshot> durable) {
    if (claim(state, AgentMessage.TakeOver.UNSAID) instanceof Verdict.Journal claim) {
      AgentSnapshot taken = state;
      for (AgentEvent event : claim.events()) {
        taken = services.lifecycle().apply(taken, event);
      }
      if (decide.apply(taken) instanceof Verdict.Journal asked) {
        message = Optional.of(asking);
        failures.journalsFor(asking.replyTo());
        List<AgentEvent> both = new ArrayList<>(claim.events());
        both.addAll(asked.events());
        return entity
            .effects()
            .persist(both)
            .thenRun(next -> {
              durable.accept(next);
              entity.claimed(next);
            })
            .thenUnstashAll();
      }
    }
    return entity.effects().stash();
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

  /** Journals the claim alone. */
  Effect<AgentEvent, AgentSnapshot> takeOver(AgentSnapshot state, AgentMessage.TakeOver takeOver) {
    if (failures.unclaimable().isPresent()) {
      return unclaimable(failures.unclaimable().get());
    }
    failures.journalsClaim();
    return switch (claim(state, takeOver)) {
      case Verdict.Journal journal ->
          entity.effects().persist(journal.events()).thenRun(entity::claimed).thenUnstashAll();
      // An agent that the directory does not know does not answer; its callers ask again.
      case Verdict.Refused refused when state.phase() == AgentSnapshot.Phase.UNBORN ->
          entity.effects().stop();
      case Verdict.Refused refused -> unclaimable(refused.reason());
      case Verdict other ->
          throw new IllegalStateException("agent " + agent + " cannot be claimed: " + other);
    };
  }

  /** The agent cannot go on, and no run of it is open that could end instead. */
  private Effect<AgentEvent, AgentSnapshot> unclaimable(String why) {
    LogNames.of(agent).run(() -> LOG.error("agent {} cannot be recovered: {}", agent, why));
    unavailable.refuse("the agent cannot be recovered: " + why);
    return entity.effects().none();
  }

  void durable() {
    message = Optional.empty();
  }

  /** The message whose claim has failed, if its caller has no answer; it is to be taken again. */
  Optional<AgentMessage.Answered> failed() {
    Optional<AgentMessage.Answered> open =
        message.filter(asked -> !failures.answered(asked.replyTo()));
    message = Optional.empty();
    return open;
  }
}
