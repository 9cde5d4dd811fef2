package dev.colony.core.lifecycle;

import dev.colony.agent.AgentState;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent.Revision;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Events of every type, each with whatever it may hold; they need not follow from one another. */
public final class Events {

  private Events() {}

  public static Arbitrary<AgentEvent> any() {
    return Arbitraries.oneOf(ofEachType());
  }

  /** One source for each type, in no particular order. */
  public static List<Arbitrary<AgentEvent>> ofEachType() {
    return List.of(
        Combinators.combine(Parts.blueprints(), Parts.instants()).as(AgentEvent.Spawned::new),
        Combinators.combine(Arbitraries.longs(), Parts.texts(), left(), Parts.instants())
            .as(AgentEvent.Claimed::new),
        Combinators.combine(Parts.requests(), left(), Parts.instants())
            .as(AgentEvent.RunAccepted::new),
        Combinators.combine(
                Parts.texts(), Arbitraries.longs(), Parts.money().optional(), Parts.instants())
            .as(AgentEvent.ModelAsked::new),
        Combinators.combine(
                Parts.texts(), Parts.replies(), flags(), Parts.money().optional(), Parts.instants())
            .as(AgentEvent.ModelAnswered::new),
        Combinators.combine(
                Parts.texts(), Parts.usages(), Parts.money().optional(), Parts.instants())
            .as(AgentEvent.ModelFailed::new),
        Combinators.combine(Parts.actions(), flags(), Parts.deltas(), Parts.instants())
            .as(AgentEvent.ActionIntended::new),
        Combinators.combine(Parts.actions(), flags(), Parts.texts().optional(), Parts.instants())
            .as(AgentEvent.ActionBegun::new),
        Combinators.combine(
                Parts.calls(), Parts.texts().optional(), Parts.money().optional(), Parts.instants())
            .as(AgentEvent.ActionEnded::new),
        Combinators.combine(
                left(),
                Parts.calls().optional(),
                Parts.deltas(),
                Parts.money().optional(),
                Parts.blocked().optional(),
                Parts.errors().optional(),
                Parts.instants())
            .as(AgentEvent.StepCompleted::new),
        Combinators.combine(Parts.runs(), Parts.instants()).as(AgentEvent.RunCompleted::new),
        Combinators.combine(Parts.runIds(), Parts.texts(), left(), Parts.instants())
            .as(AgentEvent.CancelRequested::new),
        Combinators.combine(Parts.forkSeeds(), Parts.instants()).as(AgentEvent.Forked::new),
        Combinators.combine(Parts.runIds(), left(), Parts.texts(), left(), Parts.instants())
            .as((run, step, why, left, at) ->
                new AgentEvent.RewindRequested(new Rewinding(run, step, 2, true), why, left, at)),
        Combinators.combine(Parts.texts(), left(), Parts.instants())
            .as(AgentEvent.RewindRefused::new),
        Combinators.combine(Parts.forkSeeds(), Arbitraries.of(true, false), Parts.instants())
            .as(AgentEvent.RunRewound::new),
        Combinators.combine(Parts.approvals(), Parts.instants()).as(AgentEvent.Approved::new),
        Combinators.combine(Parts.positions(), Parts.instants()).as(AgentEvent.SignalApplied::new),
        Combinators.combine(Arbitraries.longs(), left(), Parts.instants())
            .as(AgentEvent.SuspensionEntered::new),
        Combinators.combine(left(), Parts.texts(), left(), Parts.instants())
            .as(AgentEvent.Rehomed::new),
        Combinators.combine(left(), left(), Parts.instants()).as(AgentEvent.RehomeConfirmed::new),
        Combinators.combine(Parts.runIds(), left(), Parts.instants())
            .as(AgentEvent.ResultPublished::new),
        Combinators.combine(Parts.watches().list().ofMaxSize(2), left(), Parts.instants())
            .as(AgentEvent.ScopesWatched::new),
        Combinators.combine(Parts.scopes(), Parts.positions(), left(), Parts.instants())
            .as(AgentEvent.EventsNoticed::new),
        Combinators.combine(
                Parts.scopes(),
                Parts.batches().optional(),
                Parts.positions(),
                Parts.positions().optional(),
                left(),
                Parts.instants())
            .as(AgentEvent.EventsTaken::new),
        Combinators.combine(
                Arbitraries.of(LifecycleCommand.class),
                states(),
                states(),
                Parts.texts(),
                Parts.suspensions().optional(),
                left(),
                Parts.instants())
            .as(AgentEvent.Transitioned::new),
        Combinators.combine(
                Parts.blueprints(),
                Combinators.combine(left(), Parts.positions().optional()).as(Revision::new),
                Parts.texts(),
                Parts.instants())
            .as(AgentEvent.BlueprintRevised::new),
        Combinators.combine(states(), left(), Parts.instants()).as(AgentEvent.Announced::new));
  }

  private static Arbitrary<AgentState> states() {
    return Arbitraries.of(AgentState.class);
  }

  private static Arbitrary<Integer> left() {
    return Arbitraries.integers().between(0, 1_000);
  }

  private static Arbitrary<Boolean> flags() {
    return Arbitraries.of(true, false);
  }
}
