package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A fork begins with what its origin knew, and with nothing that its origin had yet to do. */
class ForkedTest {

  private static final AgentId ORIGIN = new AgentId("acme", "billing", "origin");
  private static final Script SCRIPT =
      Script.of(
          Script.Step.of(Script.Act.INTERNAL),
          Script.Step.of(Script.Act.RETRYABLE),
          Script.Step.of(Script.Act.ONCE));

  @Test
  void itsFirstRunGoesOnWhereThatOfItsOriginWas() {
    Life origin = new Life(SCRIPT);
    origin.recover();
    origin.accept("r1");
    while (origin.state.active().orElseThrow().stats().steps() < 2) {
      origin.step();
    }
    Life fork = new Life(SCRIPT);
    fork.tell(
        new AgentCommand.Claim(
            Optional.of(Life.BLUEPRINT), Optional.of(inherited(origin)), "node", Life.AT));
    assertThat(fork.journal)
        .extracting(event -> event.getClass().getSimpleName())
        .containsExactly("Spawned", "Claimed", "Forked", "Transitioned");
    assertThat(fork.state.memory()).isEqualTo(origin.state.memory());
    fork.accept("f1");
    fork.recover();
    fork.live();
    AgentRun run = fork.published.get(new RunId("f1"));
    assertThat(run.output()).hasSize(3);
    assertThat(run.stats().steps()).isEqualTo(4);
    assertThat(run.stats().modelCalls()).isEqualTo(1);
    assertThat(fork.executions.keySet()).containsExactly(Life.AGENT + "/f1/2/a2");
    fork.accept("f2");
    assertThat(fork.state.active().orElseThrow().history()).isEmpty();
    fork.live();
    assertThat(fork.published.get(new RunId("f2")).stats().steps()).isEqualTo(4);
  }

  @Test
  void oneThatWasForkedBetweenTwoRunsBeginsAtTheBeginning() {
    Life fork = new Life(SCRIPT);
    ForkSeed nothing =
        new ForkSeed(
            ORIGIN, 5, null, 0, SharedActionHistory.none(), JsonNodeFactory.instance.objectNode());
    fork.tell(
        new AgentCommand.Claim(Optional.of(Life.BLUEPRINT), Optional.of(nothing), "node", Life.AT));
    fork.accept("f1");
    fork.live();
    assertThat(fork.published.get(new RunId("f1")).stats().steps()).isEqualTo(4);
  }

  private static ForkSeed inherited(Life origin) {
    ActiveRun run = origin.state.active().orElseThrow();
    return new ForkSeed(
        ORIGIN,
        origin.journal.size(),
        origin.state.memory(),
        run.stats().steps(),
        run.history(),
        run.custom());
  }
}
