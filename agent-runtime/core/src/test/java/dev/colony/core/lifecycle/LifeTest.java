package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/** Whole lives of an agent that is only asked for runs, with and without crashes. */
class LifeTest {

  private static final String[] RUNS = {"r1", "r2", "r3"};

  @Provide
  Arbitrary<Script> scripts() {
    return scripts(Script.Act.values());
  }

  @Provide
  Arbitrary<Script> repeatableScripts() {
    return scripts(Script.Act.NONE, Script.Act.INTERNAL, Script.Act.RETRYABLE);
  }

  @Property(tries = 200)
  void replayedEventsGiveTheLiveState(@ForAll("scripts") Script script, @ForAll long seed) {
    Life life = lived(script, new Random(seed), 5);
    assertThat(Life.replay(life.journal)).isEqualTo(life.state);
  }

  @Property(tries = 1_000)
  @Tag("faults")
  void soTheyDoOfManyLives(@ForAll("scripts") Script script, @ForAll long seed) {
    replayedEventsGiveTheLiveState(script, seed);
  }

  @Property(tries = 200)
  void crashesAnywhereChangeNoResult(
      @ForAll("repeatableScripts") Script script, @ForAll long seed) {
    Life quiet = lived(script, new Random(seed), 0);
    Life crashing = lived(script, new Random(seed), 3);
    assertThat(crashing.published.keySet()).isEqualTo(quiet.published.keySet());
    assertThat(crashing.published.values())
        .extracting(AgentRun::output)
        .isEqualTo(quiet.published.values().stream().map(AgentRun::output).toList());
    assertThat(crashing.state.queue()).isEmpty();
    assertThat(crashing.state.state()).isEqualTo(AgentState.IDLE);
  }

  @Property(tries = 1_000)
  @Tag("faults")
  void manyCrashesChangeNoResult(@ForAll("repeatableScripts") Script script, @ForAll long seed) {
    crashesAnywhereChangeNoResult(script, seed);
  }

  @Property(tries = 200)
  void whatMustNotBeRepeatedIsExecutedOnceAtMost(
      @ForAll("scripts") Script script, @ForAll long seed) {
    Life life = lived(script, new Random(seed), 3);
    assertThat(life.published.values())
        .extracting(AgentRun::status)
        .containsOnly(AgentRun.Status.COMPLETED)
        .hasSize(RUNS.length);
    life.executions.forEach((key, times) -> {
      if (ScriptedIteration.once(script, key)) {
        assertThat(times).as(key).isEqualTo(1);
      }
    });
  }

  @Property(tries = 1_000)
  @Tag("faults")
  void whatMustNotBeRepeatedIsNeverRepeated(@ForAll("scripts") Script script, @ForAll long seed) {
    whatMustNotBeRepeatedIsExecutedOnceAtMost(script, seed);
  }

  @Property(tries = 200)
  void stepsAreCountedOnceEach(@ForAll("repeatableScripts") Script script, @ForAll long seed) {
    Life life = lived(script, new Random(seed), 3);
    int steps = script.steps().size() + 1;
    int calls = script.steps().stream().mapToInt(Script.Step::before).sum();
    long begun = 0;
    for (String run : RUNS) {
      RunStats stats = life.published.get(new RunId(run)).stats();
      assertThat(stats.steps()).isEqualTo(steps);
      assertThat(stats.modelCalls()).isGreaterThanOrEqualTo(calls);
      begun += stats.modelCalls();
    }
    assertThat(life.journal.stream().filter(AgentEvent.ModelAsked.class::isInstance))
        .as("each time that a call begins counts")
        .hasSize((int) begun);
    List<Integer> journaled =
        life.journal.stream()
            .filter(AgentEvent.StepCompleted.class::isInstance)
            .map(event -> ((AgentEvent.StepCompleted) event).step())
            .toList();
    assertThat(journaled).hasSize(RUNS.length * steps);
  }

  @Property(tries = 1_000)
  @Tag("faults")
  void stepsOfManyLivesAreCountedOnceEach(
      @ForAll("repeatableScripts") Script script, @ForAll long seed) {
    stepsAreCountedOnceEach(script, seed);
  }

  private static Life lived(Script script, Random random, int sides) {
    Life life = new Life(script);
    life.recover();
    List.of(RUNS).forEach(life::accept);
    while (life.step()) {
      if (sides > 0 && random.nextInt(sides) == 0) {
        life.recover();
      }
    }
    return life;
  }

  private static Arbitrary<Script> scripts(Script.Act... acts) {
    return Combinators.combine(Arbitraries.integers().between(0, 2), Arbitraries.of(acts))
        .as((calls, act) -> new Script.Step(calls, act, 0, Script.End.GO_ON))
        .list()
        .ofMaxSize(6)
        .map(Script::new);
  }
}
