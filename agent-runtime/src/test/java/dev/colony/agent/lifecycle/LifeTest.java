package dev.colony.agent.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whole lives of an agent, with and without crashes. */
class LifeTest {

  private static final BooleanSupplier NEVER = () -> false;

  @Provide
  Arbitrary<Script> scripts() {
    return Combinators.combine(Arbitraries.of(true, false), Arbitraries.of(Script.Kind.class))
        .as(Script.Step::new)
        .list()
        .ofMaxSize(8)
        .map(Script::new);
  }

  @Provide
  Arbitrary<Script> repeatableScripts() {
    return Combinators.combine(
            Arbitraries.of(true, false),
            Arbitraries.of(Script.Kind.INTERNAL, Script.Kind.RETRYABLE))
        .as(Script.Step::new)
        .list()
        .ofMaxSize(8)
        .map(Script::new);
  }

  @Property
  void replayedEventsGiveTheLiveState(@ForAll("scripts") Script script, @ForAll long seed) {
    Life life = begin(script, seed, "r1", "r2");
    life.live(dice(seed, 5));
    assertThat(Life.replay(life.journal)).isEqualTo(life.state);
  }

  @Property
  void crashesAtAnyBoundaryChangeNoResult(
      @ForAll("repeatableScripts") Script script, @ForAll long seed) {
    Life quiet = begin(script, seed, "r1", "r2", "r3");
    quiet.live(NEVER);
    Life crashing = begin(script, seed, "r1", "r2", "r3");
    crashing.live(dice(seed, 3));
    assertThat(crashing.published).isEqualTo(quiet.published);
    assertThat(crashing.state.queue()).isEmpty();
  }

  @Property
  void whatMustNotBeRepeatedIsExecutedOnceAtMost(
      @ForAll("scripts") Script script, @ForAll long seed) {
    Life life = begin(script, seed, "r1");
    life.live(dice(seed, 3));
    assertThat(life.published.get(new RunId("r1")).status()).isEqualTo(AgentRun.Status.COMPLETED);
    for (int i = 0; i < script.steps().size(); i++) {
      if (script.steps().get(i).kind() == Script.Kind.ONCE) {
        String key = Life.AGENT + "/r1/" + i + "/a" + i;
        assertThat(life.executions.getOrDefault(key, 0)).isLessThanOrEqualTo(1);
      }
    }
  }

  @Property
  void stepsAreCountedOnceEach(@ForAll("scripts") Script script, @ForAll long seed) {
    Life life = begin(script, seed, "r1");
    life.live(dice(seed, 3));
    AgentRun run = life.published.get(new RunId("r1"));
    assertThat(run.stats().steps()).isEqualTo(script.steps().size());
    assertThat(run.stats().modelCalls())
        .isEqualTo(script.steps().stream().filter(Script.Step::asks).count());
    List<Integer> journaled =
        life.journal.stream()
            .filter(AgentEvent.StepCompleted.class::isInstance)
            .map(event -> ((AgentEvent.StepCompleted) event).step())
            .toList();
    assertThat(journaled).hasSize(script.steps().size()).doesNotHaveDuplicates().isSorted();
  }

  @Property
  void modelFailuresAreThePolicysToHandle(@ForAll("scripts") Script script, @ForAll long seed) {
    Random random = new Random(seed);
    Life life = new Life(script, random::nextBoolean);
    life.recover();
    life.tell(new AgentCommand.AcceptRun(Life.request("r1"), Life.AT));
    life.live(dice(seed, 4));
    assertThat(life.published.get(new RunId("r1")).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  private static Life begin(Script script, long seed, String... runs) {
    Life life = new Life(script, NEVER);
    life.recover();
    for (String run : runs) {
      life.tell(new AgentCommand.AcceptRun(Life.request(run), Life.AT));
    }
    return life;
  }

  private static BooleanSupplier dice(long seed, int sides) {
    Random random = new Random(seed);
    return () -> random.nextInt(sides) == 0;
  }
}
