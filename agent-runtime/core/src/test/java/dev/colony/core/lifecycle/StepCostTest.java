package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import com.typesafe.config.ConfigFactory;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a step costs in memory that is let go of at once; time depends on the machine. */
class StepCostTest {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int STRETCH = 1_000;

  private final RunLimits limits =
      RunLimits.fromConfig(
          ConfigFactory.parseString("colony.agent.run.usual.iterations = 100000")
              .withFallback(ConfigFactory.load()));
  private final Lifecycle lifecycle = new Lifecycle(limits);
  private final Effects effects =
      new Effects(Life.AGENT, Optional.of(Map.of()), () -> Optional.of(false), limits);
  private AgentSnapshot state = AgentSnapshot.UNBORN;
  private int steps;

  @Test
  void aStepCostsTheSameHoweverManyAreBehindIt() {
    tell(LifeIn.claim());
    tell(LifeIn.accept("r1"));
    stretch();
    long early = stretch();
    for (int i = 0; i < 7; i++) {
      stretch();
    }
    long late = stretch();
    assertThat(steps).isEqualTo(10 * STRETCH);
    assertThat(state.active().orElseThrow().history()).hasSize(steps);
    assertThat(late).as("bytes a step, %d at first", early).isLessThanOrEqualTo(early * 5 / 4);
  }

  /** The bytes that each step of a stretch allocates. */
  private long stretch() {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < STRETCH; i++) {
      assertThat(effects.next(state, Life.AT)).isInstanceOf(Effects.AgentEffect.Iterate.class);
      effects.deadline(state);
      tell(
          new AgentCommand.WithReply(
              (AgentCommand.RecordReply) LifeIn.answer("note"), LifeIn.act("s" + steps++)));
    }
    return (THREADS.getCurrentThreadAllocatedBytes() - before) / STRETCH;
  }

  private void tell(AgentCommand command) {
    List<AgentEvent> events = ((Verdict.Journal) lifecycle.decide(state, command)).events();
    for (AgentEvent event : events) {
      state = lifecycle.apply(state, event);
    }
  }
}
