package dev.colony.testkit.incarnation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Effects;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.EntityInput;
import dev.colony.core.lifecycle.EntityMachine;
import dev.colony.core.lifecycle.EntityMachine.Circumstances;
import dev.colony.core.lifecycle.EntityMachine.Reaction;
import dev.colony.core.lifecycle.EntityState;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.inference.budget.PriceTable;
import dev.colony.inference.budget.PriceTable.Prices;
import dev.colony.testkit.incarnation.World.Actor;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What can become of two incarnations of one agent, over {@link EntityMachine}, {@link Lifecycle}
 * and {@link Effects} as they are: messages lost, repeated and in any order, appends that fail
 * before or after they are durable, crashes and hand-overs at every moment.
 */
final class Incarnations {

  static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
  static final AgentId AGENT = new AgentId("acme", "billing", "clerk");
  static final RunId RUN = new RunId("r1");
  private static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("script"));
  private static final RunLimits LIMITS =
      new RunLimits(
          RunBudget.OF_NODE.iterations(100).time(Duration.ofHours(1)),
          RunBudget.OF_NODE,
          4,
          2,
          10_000,
          1_000,
          1_000,
          PriceTable.of(new Prices(BigDecimal.ONE, BigDecimal.ONE, BigDecimal.ONE)),
          new RunLimits.SuspensionLimits(Duration.ofMinutes(5), 3, Duration.ofMinutes(5)),
          new RunLimits.Step(4, 5_000));

  static final int ACCEPT = 0;
  static final int SUSPEND = 1;
  static final int RESUME = 2;
  static final int CANCEL = 3;
  static final int STOP = 4;

  /** What the agent is sent; each may be lost, and come twice, to either node, in any order. */
  static final List<AgentCommand> MESSAGES =
      List.of(
          new AgentCommand.AcceptRun(
              new RunRequest(
                  ExecutionContext.of(AGENT, RUN),
                  "test",
                  JsonNodeFactory.instance.objectNode(),
                  "me",
                  AT),
              AT),
          signal(new Intent.Suspend(SuspensionCause.EXPLICIT, "asked", Optional.empty()), 1),
          signal(new Intent.Resume(OptionalLong.empty(), "asked"), 2),
          new AgentCommand.Apply(new Intent.Cancel(RUN, "asked"), AT),
          signal(new Intent.ChangeState(LifecycleCommand.STOP, "asked"), 3));

  private static final int MOST_DELIVERIES = 2;
  private static final int MOST_FAILURES = 1;
  private static final int MOST_CRASHES = 1;

  private final Lifecycle lifecycle = new Lifecycle(LIMITS);
  private final Effects effects =
      new Effects(AGENT, Optional.of(Map.of()), () -> Optional.of(false), LIMITS);
  private final Set<Reaction> reactions = EnumSet.noneOf(Reaction.class);

  private static AgentCommand signal(Intent intent, long position) {
    return new AgentCommand.Apply(intent, Optional.of(new Position(1, position)), AT);
  }

  /** What the actors have done in any state. */
  Set<Reaction> reactions() {
    return reactions;
  }

  /**
   * What a moment can make of a world.
   *
   * @param messages that the agent is sent, by their places in {@link #MESSAGES}
   */
  List<World> successors(World world, Set<Integer> messages) {
    List<World> all = new ArrayList<>();
    for (int one = 0; one < world.actors().size(); one++) {
      Actor actor = world.actors().get(one);
      if (actor.at() instanceof EntityState.Recovering) {
        all.add(recover(world, one));
      } else {
        if (actor.takesOver()) {
          all.addAll(claim(world, one));
        }
        for (int message : messages) {
          if (world.deliveries().get(message) < MOST_DELIVERIES) {
            all.addAll(deliver(world, one, message));
          }
        }
        if (!actor.resting()) {
          all.addAll(goOn(world, one));
        }
        if (world.crashes() < MOST_CRASHES) {
          all.add(world.crashed().actor(one, Actor.STARTED));
          all.add(leave(world.crashed(), one));
        }
      }
    }
    return all;
  }

  /** Reads the journal. */
  private World recover(World world, int one) {
    AgentSnapshot state = AgentSnapshot.UNBORN;
    for (World.Entry entry : world.journal()) {
      state = lifecycle.apply(state, entry.event());
    }
    Actor reader = world.actors().get(one).knows(state, world.journal().size());
    EntityMachine.Step step = step(reader, one, new EntityInput.Recovered(false));
    return switch (step.reaction()) {
      case TAKE_OVER, LOOK_UP -> world.actor(one, reader.at(step.state()).takesOver(true));
      case FENCE, LEAVE_NOW -> world.actor(one, Actor.STARTED);
      default -> throw new AssertionError(step);
    };
  }

  private List<World> claim(World world, int one) {
    Actor actor = world.actors().get(one).takesOver(false);
    EntityMachine.Step step = step(actor, one, new EntityInput.TakeOver());
    if (step.reaction() != Reaction.CLAIM) {
      return List.of(world.actor(one, actor.at(step.state())));
    }
    Verdict.Journal claim = (Verdict.Journal) lifecycle.decide(actor.state(), claim(one));
    return append(world, one, actor.at(step.state()), claim.events(), after -> claimed(after, one));
  }

  private static AgentCommand claim(int one) {
    return new AgentCommand.Claim(Optional.of(BLUEPRINT), Optional.empty(), "node-" + one, AT);
  }

  private World claimed(World world, int one) {
    Actor actor = world.actors().get(one);
    EntityMachine.Step step =
        step(actor, one, new EntityInput.Claimed(actor.state().incarnation()));
    return world.actor(one, actor.at(step.state()).begins(effects.next(actor.state(), AT)));
  }

  private List<World> deliver(World world, int one, int message) {
    Actor actor = world.actors().get(one);
    AgentCommand command = MESSAGES.get(message);
    boolean over = command instanceof AgentCommand.AcceptRun && ended(actor.state());
    EntityMachine.Step step = step(actor, one, new EntityInput.Command(!over));
    Actor next = actor.at(step.state());
    World delivered = world.delivered(message);
    return switch (step.reaction()) {
      case STASH -> List.of();
      case BEGIN_ANEW -> List.of(world.actor(one, Actor.STARTED));
      case CLAIM_WITH -> {
        Verdict.Journal claim = (Verdict.Journal) lifecycle.decide(actor.state(), claim(one));
        AgentSnapshot taken = after(actor.state(), claim.events());
        List<AgentEvent> both = new ArrayList<>(claim.events());
        if (lifecycle.decide(taken, command) instanceof Verdict.Journal asked) {
          both.addAll(asked.events());
          yield append(
              delivered,
              one,
              next.takesOver(false),
              both,
              done -> answer(claimed(done, one), command));
        }
        yield List.of(world.actor(one, next));
      }
      case HANDLE -> {
        if (over) {
          yield List.of(answer(delivered, command));
        }
        yield switch (lifecycle.decide(actor.state(), command)) {
          case Verdict.Journal journal ->
              append(
                  delivered,
                  one,
                  next,
                  journal.events(),
                  done -> answer(changed(done, one), command));
          case Verdict.Repeated repeated -> List.of(answer(delivered, command));
          case Verdict.Refused refused -> List.of(delivered);
          case Verdict.Busy busy -> List.of(delivered);
        };
      }
      default -> throw new AssertionError(step);
    };
  }

  private static boolean ended(AgentSnapshot state) {
    return state.finished().contains(RUN);
  }

  private static World answer(World world, AgentCommand command) {
    return command instanceof AgentCommand.AcceptRun ? world.answered(RUN) : world;
  }

  /** Goes on after something else than the effect under way has changed the state. */
  private World changed(World world, int one) {
    Actor actor = world.actors().get(one);
    EntityMachine.Step step = step(actor, one, new EntityInput.Changed());
    boolean anew =
        actor.resting()
            || actor.effect() instanceof AgentEffect.Iterate && effects.cutsOff(actor.state(), AT);
    Actor next = actor.at(step.state());
    return world.actor(
        one,
        step.reaction() == Reaction.RECONSIDER && anew
            ? next.begins(effects.next(actor.state(), AT))
            : next);
  }

  /** One moment of the effect under way. */
  private List<World> goOn(World world, int one) {
    Actor actor = world.actors().get(one);
    return switch (actor.effect()) {
      case AgentEffect.Nothing nothing -> List.of();
      case AgentEffect.IssueCommand issue -> outcome(world, one, issue.command());
      case AgentEffect.Iterate iterate -> iterate(world, one, iterate);
      case AgentEffect.FinishIntended finish -> {
        Action action = finish.intended().action();
        yield actor.stage() == 0
            ? List.of(execute(world, one, action, finish.key(), 1))
            : outcome(world, one, acted(action));
      }
      case AgentEffect.Publish publish ->
          actor.stage() == 0
              ? List.of(world.published(publish.run()).actor(one, actor.stage(1)))
              : outcome(world, one, new AgentCommand.ConfirmPublished(publish.run().runId(), AT));
      case AgentEffect.Announce announce ->
          outcome(world, one, new AgentCommand.ConfirmAnnounced(announce.state(), AT));
      case AgentEffect.EnterSuspension enter ->
          outcome(world, one, new AgentCommand.ConfirmSuspended(enter.suspension().number(), AT));
      case AgentEffect.WatchScopes watch ->
          outcome(world, one, new AgentCommand.WatchScopes(List.of(), AT));
      case AgentEffect.ReadEvents read -> throw new AssertionError(read);
      case AgentEffect.Rewind rewind -> throw new AssertionError(rewind);
      case AgentEffect.MoveHome move -> throw new AssertionError(move);
    };
  }

  /** The first step executes an external action, the second completes the run. */
  private List<World> iterate(World world, int one, AgentEffect.Iterate iterate) {
    if (iterate.run().stats().steps() > 0) {
      return outcome(
          world,
          one,
          new AgentCommand.CompleteStep(
              ActionPolicyIterationResult.completed(
                  ActionPolicyOutput.of(JsonNodeFactory.instance.textNode("done"))),
              StepDelta.NONE,
              AT));
    }
    Action action = Action.of("pay", "pay", JsonNodeFactory.instance.objectNode());
    Actor actor = world.actors().get(one);
    return switch (actor.stage()) {
      case 0 -> {
        EntityMachine.Step step = step(actor, one, new EntityInput.Outcome(true));
        AgentCommand intend = new AgentCommand.IntendAction(action, false, StepDelta.NONE, AT);
        yield step.reaction() == Reaction.HANDLE
                && lifecycle.decide(actor.state(), intend) instanceof Verdict.Journal journal
            ? append(
                world,
                one,
                actor.at(step.state()).stage(1),
                journal.events(),
                after -> changed(after, one))
            : List.of();
      }
      case 1 ->
          List.of(
              execute(
                  world,
                  one,
                  action,
                  Effects.idempotencyKey(iterate.name(), action.actionId()),
                  2));
      default -> outcome(world, one, acted(action));
    };
  }

  private World execute(World world, int one, Action action, String key, int stage) {
    return world.executed(action.actionId(), key).actor(one, world.actors().get(one).stage(stage));
  }

  private static AgentCommand acted(Action action) {
    return new AgentCommand.CompleteStep(
        ActionPolicyIterationResult.acted(
            action, ActionResult.succeeded(action.actionId(), JsonNodeFactory.instance.nullNode())),
        StepDelta.NONE,
        AT);
  }

  /** What came of the effect is journaled, and the next one begins. */
  private List<World> outcome(World world, int one, AgentCommand command) {
    Actor actor = world.actors().get(one);
    EntityMachine.Step step = step(actor, one, new EntityInput.Outcome(true));
    Actor next = actor.at(step.state());
    if (step.reaction() == Reaction.IGNORE) {
      return List.of(world.actor(one, next));
    }
    return switch (lifecycle.decide(actor.state(), command)) {
      case Verdict.Journal journal ->
          append(world, one, next, journal.events(), after -> finished(after, one));
      case Verdict.Refused refused when !actor.state().equals(actor.begunIn()) ->
          List.of(finished(world.actor(one, next), one));
      case Verdict.Refused refused -> throw new AssertionError(refused + " of " + command);
      case Verdict.Repeated repeated -> throw new AssertionError(repeated + " of " + command);
      case Verdict.Busy busy -> throw new AssertionError(busy + " of " + command);
    };
  }

  private World finished(World world, int one) {
    Actor actor = world.actors().get(one);
    EntityMachine.Step step = step(actor, one, new EntityInput.Finished());
    return switch (step.reaction()) {
      case PROCEED ->
          world.actor(one, actor.at(step.state()).begins(effects.next(actor.state(), AT)));
      case LEAVE_NOW -> world.actor(one, Actor.STARTED);
      default -> throw new AssertionError(step);
    };
  }

  /** The shard stops the actor, which waits for an external action that is under way. */
  private World leave(World world, int one) {
    Actor actor = world.actors().get(one);
    EntityMachine.Step step = step(actor, one, new EntityInput.Leave());
    return world.actor(
        one, step.reaction() == Reaction.AWAIT_ACTION ? actor.at(step.state()) : Actor.STARTED);
  }

  /**
   * Appends events: refused where another actor has written since; otherwise durable and known to
   * be, durable and not known to be, or lost.
   */
  private List<World> append(
      World world, int one, Actor actor, List<AgentEvent> events, UnaryOperator<World> then) {
    World restarted = world.actor(one, Actor.in(restarted(actor, one)));
    if (actor.seen() != world.journal().size()) {
      return List.of(restarted);
    }
    Actor knows = actor.knows(after(actor.state(), events), world.journal().size() + events.size());
    List<World> all = new ArrayList<>();
    all.add(then.apply(world.appended(one, events).actor(one, knows)));
    if (world.failures() < MOST_FAILURES) {
      all.add(restarted.failed());
      all.add(restarted.failed().appended(one, events));
    }
    return all;
  }

  private EntityState restarted(Actor actor, int one) {
    return step(actor, one, new EntityInput.Restarted()).state();
  }

  private AgentSnapshot after(AgentSnapshot state, List<AgentEvent> events) {
    AgentSnapshot next = state;
    for (AgentEvent event : events) {
      next = lifecycle.apply(next, event);
    }
    return next;
  }

  private EntityMachine.Step step(Actor actor, int one, EntityInput input) {
    EntityMachine.Step step =
        EntityMachine.next(
            actor.at(), input, Circumstances.of(actor.state(), 0, "node-" + one, actor.resting()));
    reactions.add(step.reaction());
    return step;
  }
}
