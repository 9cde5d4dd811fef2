package dev.colony.core.lifecycle;

import dev.colony.agent.AgentState;
import dev.colony.agent.Suspension.Approval;
import dev.colony.core.lifecycle.ActiveRun.Asked;
import dev.colony.core.lifecycle.ActiveRun.Grants;
import dev.colony.core.lifecycle.AgentEvent.Revision;
import dev.colony.core.lifecycle.AgentSnapshot.Holder;
import dev.colony.core.lifecycle.AgentSnapshot.Home;
import dev.colony.core.lifecycle.AgentSnapshot.LifecycleStatus;
import dev.colony.core.lifecycle.Intent.Intended;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** States of agents, with whatever each part may hold; no life need lead to them. */
public final class Snapshots {

  private Snapshots() {}

  public static Arbitrary<AgentSnapshot> any() {
    Arbitrary<Home> homes =
        Combinators.combine(Arbitraries.integers().between(0, 9), Arbitraries.of(true, false))
            .as(Home::new);
    Arbitrary<Holder> holders =
        Combinators.combine(
                Arbitraries.longs().between(0, 1_000),
                Parts.texts(),
                Arbitraries.integers().between(0, 5))
            .as(Holder::new);
    return Combinators.combine(
            Combinators.combine(Parts.blueprints().optional(0.9), revisions().optional(0.2))
                .as(Map::entry),
            statuses(),
            holders,
            homes.optional(),
            runs(),
            Parts.watches().list().ofMaxSize(2),
            Parts.memories(),
            Parts.forkSeeds().optional(0.1))
        .as((born, status, holder, home, runs, watches, memory, seed) ->
            new AgentSnapshot(
                born.getKey(), born.getValue(), status, holder, home, runs, watches, memory, seed));
  }

  private static Arbitrary<Revision> revisions() {
    return Combinators.combine(Arbitraries.integers().between(1, 9), Parts.positions().optional())
        .as(Revision::new);
  }

  /** Those that are put away have a suspension, and no others. */
  private static Arbitrary<LifecycleStatus> statuses() {
    return Arbitraries.of(AgentState.class)
        .flatMap(state ->
            Combinators.combine(
                    Arbitraries.of(AgentState.class),
                    Parts.texts().optional(),
                    Parts.suspensions(),
                    Arbitraries.longs().between(0, 1_000),
                    Arbitraries.of(true, false),
                    Parts.positions().optional())
                .as((announced, reason, suspension, suspensions, entered, lastSignal) ->
                    new LifecycleStatus(
                        state,
                        announced,
                        reason,
                        Optional.of(suspension).filter(one -> LifecycleStatus.away(state)),
                        suspensions,
                        entered,
                        lastSignal)));
  }

  private static Arbitrary<RunQueue> runs() {
    return Combinators.combine(
            queued().list().ofMaxSize(2),
            activeRuns().optional(),
            Parts.runIds().list().ofMaxSize(2))
        .as((queue, active, finished) ->
            new RunQueue(
                queue,
                active,
                finished,
                finished.stream().findFirst().map(run -> new Rewinding(run, 0, 2, true))));
  }

  private static Arbitrary<QueuedRun> queued() {
    return Combinators.combine(
            Parts.requests(),
            Parts.instants(),
            Parts.texts().optional(),
            Arbitraries.longs().between(0, 1L << 40).map(Duration::ofNanos))
        .as(QueuedRun::new);
  }

  private static Arbitrary<StepActions> actions() {
    Arbitrary<StepActions.Begun> begun =
        Combinators.combine(
                Parts.actions(), Arbitraries.of(true, false), Arbitraries.longs().between(0, 1_000))
            .as(StepActions.Begun::new);
    return Combinators.combine(
            Arbitraries.maps(Parts.names(), begun).ofMaxSize(2),
            Parts.calls().list().ofMaxSize(2).map(SharedActionHistory::of),
            Arbitraries.maps(Parts.names(), Parts.texts()).ofMaxSize(2))
        .as(StepActions::new)
        // What is left of a step with several actions are its actions.
        .map(actions -> actions.none() ? StepActions.NONE : actions);
  }

  private static Arbitrary<ActiveRun> activeRuns() {
    Arbitrary<Intended> intended =
        Combinators.combine(
                Parts.actions(),
                Arbitraries.of(true, false),
                Parts.deltas(),
                Arbitraries.longs().between(0, 1_000))
            .as(Intended::new);
    Arbitrary<Grants> grants =
        Combinators.combine(
                Parts.approvals()
                    .list()
                    .ofMaxSize(2)
                    .uniqueElements(Approval::request)
                    .map(all ->
                        all.stream().collect(Collectors.toMap(Approval::request, one -> one))),
                Arbitraries.integers().between(0, 3))
            .as((said, budgets) -> new Grants(said, budgets, said.values().stream().findFirst()));
    Arbitrary<StepState> begun =
        Combinators.combine(
                Arbitraries.maps(
                        Parts.names(),
                        Combinators.combine(Arbitraries.longs(), Parts.money()).as(Asked::new))
                    .ofMaxSize(2),
                Arbitraries.maps(Parts.names(), Parts.replies()).ofMaxSize(2),
                Parts.batches().list().ofMaxSize(2),
                actions(),
                Parts.instants().optional())
            .as((asked, replies, events, actions, since) ->
                new StepState(
                    asked,
                    replies,
                    events,
                    Optional.empty(),
                    actions,
                    Optional.empty(),
                    Optional.empty(),
                    since));
    Arbitrary<StepState> stepStates =
        Arbitraries.oneOf(
            begun,
            Combinators.combine(begun, intended).as(StepState::intended),
            Parts.runs().map(StepState::last),
            Parts.blocked().optional().map(StepState::begun));
    return Combinators.combine(
            Parts.stats(),
            Parts.calls().list().ofMaxSize(2).map(SharedActionHistory::of),
            Parts.objects(),
            Parts.sessions().optional(),
            grants,
            stepStates)
        .as((stats, history, custom, session, said, step) ->
            new ActiveRun(
                stats,
                history,
                custom,
                session,
                said,
                session.map(any -> new Rewound(2, stats, null)),
                step));
  }
}
