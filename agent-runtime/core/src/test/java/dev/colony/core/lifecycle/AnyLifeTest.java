package dev.colony.core.lifecycle;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.core.lifecycle.ActiveRun.Grants;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.vcm.PageGroupId;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;

/**
 * Lives in which anything that can happen to an agent happens between any two moments: runs,
 * events, commands, suspensions for any cause, late and early wake-ups, answers, moves, revisions,
 * time, crashes. What must hold of every life is asked after each of them.
 */
class AnyLifeTest {

  @Provide
  Arbitrary<Life.Nature> natures() {
    Arbitrary<AgentBlueprint> blueprints =
        Combinators.combine(Arbitraries.of(AgentKind.class), budgets())
            .as((kind, budget) ->
                AgentBlueprint.of(Blueprint.of("script"))
                    .pages(new PageGroupId("a".repeat(26)))
                    .stream(
                        new StreamBlueprint(
                            ScriptedIteration.STREAM, Blueprint.of("all"), Map.of(), 1000))
                    .kind(kind)
                    .budget(budget));
    return Combinators.combine(
            blueprints, scripts(), Arbitraries.of(true, false), Arbitraries.of(true, false))
        .as((blueprint, script, woken, takes) -> {
          Life.Nature deaf = new Life.Nature(blueprint, script, Map.of(), takes);
          return woken ? deaf.woken(takes) : deaf;
        });
  }

  @Provide
  Arbitrary<List<Deed>> deeds() {
    Arbitrary<Deed> work = Arbitraries.integers().between(1, 6).map(Deed.Work::new);
    Arbitrary<Deed> others =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, 5).map(Deed.Accept::new),
            Arbitraries.integers().between(0, 5).map(Deed.Cancel::new),
            Arbitraries.frequency(
                    Tuple.of(4, LifecycleCommand.SUSPEND),
                    Tuple.of(4, LifecycleCommand.RESUME),
                    Tuple.of(3, LifecycleCommand.PAGES_EVICTED),
                    Tuple.of(3, LifecycleCommand.PAGES_AVAILABLE),
                    Tuple.of(3, LifecycleCommand.UNBLOCK),
                    Tuple.of(1, LifecycleCommand.STOP),
                    Tuple.of(1, LifecycleCommand.FAIL))
                .map(Deed.Command::new),
            Combinators.combine(
                    Arbitraries.of(SuspensionCause.class), Arbitraries.of(Deed.Until.class))
                .as(Deed.Suspend::new),
            Arbitraries.integers().between(0, 2).map(Deed.Wake::new),
            Combinators.combine(
                    Arbitraries.of("lead", Grants.BUDGET), Arbitraries.of(true, true, false))
                .as(Deed.Answer::new),
            Arbitraries.integers().between(1, 3).map(Deed.Rehome::new),
            Arbitraries.integers().between(1, 3).map(Deed.Revise::new),
            Arbitraries.integers().between(1, 900).map(Deed.Pass::new),
            Arbitraries.integers().between(0, 2).map(Deed.Write::new),
            Arbitraries.of(true, false).map(Deed.Deliver::new),
            Arbitraries.just(new Deed.Crash()));
    return Arbitraries.frequencyOf(Tuple.of(1, work), Tuple.of(2, others)).list().ofMaxSize(60);
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void whateverHappensToAnAgent(
      @ForAll("natures") Life.Nature nature, @ForAll("deeds") List<Deed> deeds) {
    Biography told = new Biography(nature);
    told.check();
    for (Deed deed : deeds) {
      told.happens(deed);
    }
    told.settle();
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  @Tag("faults")
  void whateverHappensToManyAgents(
      @ForAll("natures") Life.Nature nature, @ForAll("deeds") List<Deed> deeds) {
    whateverHappensToAnAgent(nature, deeds);
  }

  private static Arbitrary<RunBudget> budgets() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 8).optional(0.5),
            Arbitraries.integers().between(60, 1_800).optional(0.5),
            Arbitraries.longs().between(1, 60).optional(0.3),
            Arbitraries.integers().between(1, 200).optional(0.3),
            Arbitraries.of(RunBudget.WhenSpent.class))
        .as((iterations, seconds, tokens, money, spent) ->
            new RunBudget(
                iterations,
                seconds.map(Duration::ofSeconds),
                tokens,
                money.map(millionths -> BigDecimal.valueOf(millionths, 6)),
                spent));
  }

  private static Arbitrary<Script> scripts() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 2),
            Arbitraries.of(Script.Act.class),
            Arbitraries.integers().between(0, 1),
            Arbitraries.frequency(
                Tuple.of(20, Script.End.GO_ON),
                Tuple.of(4, Script.End.IDLE),
                Tuple.of(4, Script.End.BLOCKED),
                Tuple.of(4, Script.End.ASKS),
                Tuple.of(4, Script.End.WAITS),
                Tuple.of(1, Script.End.FAIL),
                Tuple.of(1, Script.End.TERMINATE)))
        .as(Script.Step::new)
        .list()
        .ofMaxSize(8)
        .map(Script::new);
  }
}
