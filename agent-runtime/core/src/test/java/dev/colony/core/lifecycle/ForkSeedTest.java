package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.author.DurableMemory;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/** What a fork is born with, whatever its origin was like. */
class ForkSeedTest {

  private static final Instant NOW = Instant.parse("2026-11-22T07:00:00Z");
  private static final AgentBlueprint WHAT = AgentBlueprint.of(Blueprint.of("script"));
  private static final Lifecycle LIFECYCLE = new Lifecycle(Life.LIMITS);

  @Provide
  Arbitrary<ForkSeed> forkSeeds() {
    Arbitrary<DurableMemory> memories =
        Combinators.combine(
                Arbitraries.maps(Parts.names(), Parts.entries().list().ofMinSize(1).ofMaxSize(5))
                    .ofMaxSize(3),
                Arbitraries.maps(Parts.names(), Parts.json()).ofMaxSize(3),
                Parts.names().set().ofMaxSize(3),
                Parts.entriesByName())
            .as(DurableMemory::new);
    return Combinators.combine(
            Parts.agents(),
            Arbitraries.longs().between(1, 1_000),
            memories,
            Arbitraries.integers().between(0, 9),
            Parts.calls().list().ofMaxSize(8),
            Parts.objects())
        .as((origin, at, memory, steps, calls, custom) ->
            new ForkSeed(origin, at, memory, steps, SharedActionHistory.of(calls), custom));
  }

  @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
  void itsPartsAreTheWholeHoweverSmallTheyAre(@ForAll("forkSeeds") ForkSeed whole) {
    for (long most : new long[] {1, 50, 500, Long.MAX_VALUE / 4}) {
      List<ForkSeed> parts = whole.parts(most);
      assertThat(parts.stream().reduce(ForkSeed::plus)).contains(whole);
      assertThat(parts).hasSizeLessThanOrEqualTo(most > 500 ? 1 : 1_000);
    }
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  @Tag("faults")
  void thePartsOfManyAreTheWhole(@ForAll("forkSeeds") ForkSeed whole) {
    itsPartsAreTheWholeHoweverSmallTheyAre(whole);
  }

  @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
  void aForkIsBornWithItAndReadsItBack(@ForAll("forkSeeds") ForkSeed whole) {
    List<AgentEvent> events = born(whole);
    AgentSnapshot fork = Life.replay(events);
    assertThat(fork.memory()).isEqualTo(whole.memory());
    assertThat(fork.forkSeed()).contains(whole.remembered());
    assertThat(fork.state()).isEqualTo(AgentState.IDLE);
    assertThat(fork.outstanding()).isFalse();
    assertThat(fork.watches()).isEmpty();
    assertThat(fork.suspension()).isEmpty();
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  @Tag("faults")
  void manyForksReadItBack(@ForAll("forkSeeds") ForkSeed whole) {
    aForkIsBornWithItAndReadsItBack(whole);
  }

  /** Of whatever life, cut at whatever event. */
  @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
  void aForkOfAnyLifeHasItsMindAndNothingThatIsUnderWay(
      @ForAll("lives") Life life, @ForAll int cut) {
    int at = 2 + Math.floorMod(cut, life.journal.size() - 1);
    AgentSnapshot past = Life.replay(life.journal.subList(0, at));
    ForkSeed inherited = ForkSeed.of(Life.AGENT, at, past);
    AgentSnapshot fork = Life.replay(born(inherited));
    assertThat(fork.memory()).isEqualTo(past.memory());
    assertThat(fork.queue()).isEmpty();
    assertThat(fork.active()).isEmpty();
    assertThat(fork.finished()).isEmpty();
    Optional<ActiveRun> open = past.active().filter(run -> run.ended().isEmpty());
    assertThat(inherited.history())
        .isEqualTo(open.map(ActiveRun::history).orElse(SharedActionHistory.none()));
    assertThat(inherited.custom())
        .isEqualTo(open.map(ActiveRun::custom).orElse(JsonNodeFactory.instance.objectNode()));
    assertThat(inherited.steps()).isEqualTo(open.map(run -> run.stats().steps()).orElse(0));
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  @Tag("faults")
  void soHaveForksOfManyLives(@ForAll("lives") Life life, @ForAll int cut) {
    aForkOfAnyLifeHasItsMindAndNothingThatIsUnderWay(life, cut);
  }

  @Provide
  Arbitrary<Life> lives() {
    return Arbitraries.integers()
        .between(0, 40)
        .flatMap(moments ->
            Arbitraries.of(Script.Act.class)
                .list()
                .ofMinSize(1)
                .ofMaxSize(5)
                .map(acts -> {
                  Script script = new Script(acts.stream().map(Script.Step::of).toList());
                  Life life =
                      new Life(new Life.Nature(WHAT, script, Map.of(), false), new LifeBoard());
                  life.recover();
                  life.accept("r1");
                  for (int i = 0; i < moments && life.step(); i++) {
                    // One moment after the other, as many as were drawn.
                  }
                  return life;
                }));
  }

  @Example
  void theFirstRunGoesOnWhereTheOriginWasAndLaterOnesBeginAnew() {
    Life life = new Life(new Life.Nature(WHAT, Script.of(), Map.of(), false), new LifeBoard());
    ForkSeed inherited =
        new ForkSeed(
            Life.AGENT,
            7,
            DurableMemory.EMPTY,
            3,
            SharedActionHistory.of(List.of(Parts.calls().sample())),
            null);
    life.journal.addAll(born(inherited));
    life.recover();
    life.accept("r1");
    life.accept("r2");
    ActiveRun first = life.state.active().orElseThrow();
    assertThat(first.history()).isEqualTo(inherited.history());
    assertThat(first.stats().steps()).isEqualTo(3);
    while (!life.published.containsKey(new RunId("r1"))) {
      assertThat(life.step()).isTrue();
    }
    assertThat(life.state.active().orElseThrow().history()).isEmpty();
    assertThat(life.state.forkSeed()).isEmpty();
  }

  /** Journals from before an agent's start was journaled. */
  @Example
  void anAgentThatHasARunAndNeverStartedStartsWithItsNextClaim() {
    Life life = new Life(new Life.Nature(WHAT, Script.of(), Map.of(), false), new LifeBoard());
    life.journal.add(new AgentEvent.Spawned(WHAT, NOW));
    life.journal.add(new AgentEvent.Claimed(1, "old", NOW));
    AgentSnapshot unstarted = Life.replay(life.journal);
    life.journal.add(
        ((Verdict.Journal)
                LIFECYCLE.decide(unstarted, new AgentCommand.AcceptRun(Life.request("r1"), NOW)))
            .events()
            .getFirst());
    assertThat(Life.replay(life.journal).state()).isEqualTo(AgentState.INITIALIZED);
    life.recover();
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
    while (life.step()) {
      assertThat(Life.replay(life.journal)).isEqualTo(life.state);
    }
    assertThat(life.published).containsKey(new RunId("r1"));
  }

  private static List<AgentEvent> born(ForkSeed inherited) {
    AgentCommand claim =
        new AgentCommand.Claim(Optional.of(WHAT), Optional.of(inherited), "node", NOW);
    return ((Verdict.Journal) LIFECYCLE.decide(AgentSnapshot.UNBORN, claim)).events();
  }
}
