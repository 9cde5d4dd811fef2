package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentState;
import dev.colony.agent.step.Mind;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** States of agents, with whatever each part may hold; no life need lead to them. */
public final class Snapshots {

  private Snapshots() {}

  public static Arbitrary<AgentSnapshot> any() {
    Arbitrary<Life> lives =
        Combinators.combine(
                Parts.blueprints().optional(0.9),
                Arbitraries.of(AgentState.class),
                Arbitraries.of(AgentState.class),
                Parts.texts().optional(),
                Arbitraries.of(true, false),
                Arbitraries.longs().between(0, 1_000),
                Parts.texts())
            .as(Life::new);
    return Combinators.combine(
            lives,
            queued().list().ofMaxSize(2),
            activeRuns().optional(),
            Parts.runIds().list().ofMaxSize(2),
            Parts.watches().list().ofMaxSize(2),
            minds())
        .as((life, queue, active, finished, watches, mind) ->
            new AgentSnapshot(
                life.blueprint(),
                life.state(),
                life.announced(),
                life.reason(),
                life.evicted(),
                life.incarnation(),
                life.node(),
                queue,
                active,
                finished,
                watches,
                mind));
  }

  /** The half of a state that is not about work: sources are combined eight at a time. */
  private record Life(
      Optional<AgentBlueprint> blueprint,
      AgentState state,
      AgentState announced,
      Optional<String> reason,
      boolean evicted,
      long incarnation,
      String node) {}

  private static Arbitrary<QueuedRun> queued() {
    return Combinators.combine(Parts.requests(), Parts.instants(), Parts.texts().optional())
        .as(QueuedRun::new);
  }

  private static Arbitrary<ActiveRun> activeRuns() {
    Arbitrary<Intended> intended =
        Combinators.combine(
                Parts.actions(),
                Arbitraries.of(true, false),
                Parts.deltas(),
                Arbitraries.longs().between(0, 1_000))
            .as(Intended::new);
    Arbitrary<ActiveRun> begun =
        Combinators.combine(
                Parts.stats(),
                Parts.calls().list().ofMaxSize(2).map(Calls::of),
                Parts.objects(),
                Parts.sessions().optional(),
                Arbitraries.maps(Parts.names(), Parts.replies()).ofMaxSize(2),
                Parts.batches().list().ofMaxSize(2))
            .as((stats, history, custom, session, replies, events) ->
                new ActiveRun(
                    stats,
                    history,
                    custom,
                    session,
                    replies,
                    events,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()));
    return Arbitraries.oneOf(
        begun,
        Combinators.combine(begun, intended).as(ActiveRun::intended),
        Combinators.combine(begun, Parts.runs()).as(ActiveRun::ended),
        Combinators.combine(begun, Parts.parked())
            .as((run, parked) ->
                new ActiveRun(
                    run.stats(),
                    run.history(),
                    run.custom(),
                    run.session(),
                    run.replies(),
                    run.events(),
                    Optional.empty(),
                    Optional.of(parked),
                    Optional.empty())));
  }

  private static Arbitrary<Mind> minds() {
    Arbitrary<Map<String, JsonNode>> capabilities =
        Arbitraries.maps(Parts.names(), Parts.json()).ofMaxSize(2);
    return Combinators.combine(
            Arbitraries.maps(Parts.names(), Parts.entries().list().ofMinSize(1).ofMaxSize(2))
                .ofMaxSize(2),
            capabilities,
            Parts.names().set().ofMaxSize(2))
        .as(Mind::new);
  }
}
