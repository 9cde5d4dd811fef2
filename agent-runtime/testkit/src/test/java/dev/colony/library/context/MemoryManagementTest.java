package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.blackboard.Blackboards;
import dev.colony.library.context.Memory.Note;
import dev.colony.library.context.MemoryManagementPolicy.MemoryManagementCapability;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A service agent takes care of other agents' memories. */
class MemoryManagementTest {

  private static final AgentId ADA = new AgentId("test", "test", "ada");
  private static final Consolidation AT_ONCE =
      new Consolidation(0.8, 500, Duration.ZERO, 1_000, 500, Salience.DEFAULT);

  private static MemoryStore of(AgentId agent, Blackboards boards) {
    return new MemoryStore(boards.open(agent.scope().namespace("memory"), "test"));
  }

  private static void remember(MemoryStore memories, String id, String text) {
    memories.store(new Note(id, "note", text, Set.of(), 0.5), text, Instant.EPOCH);
  }

  private static final AgentBlueprint SERVICE =
      MemoryManagementPolicy.agent(
          Duration.ofHours(1), MemoryManagementCapability.Args.of("ada").how(AT_ONCE));

  private static void same(MemoryStore memories, String more) {
    remember(memories, "a" + more, "the disk was full at noon");
    remember(memories, "b" + more, "at noon the disk was full");
  }

  private static MemoryStore adas(TestAgent agent) {
    return new MemoryStore(agent.blackboard(ADA.scope().namespace("memory")));
  }

  @Test
  void theServiceAgentConsolidatesFromTimeToTime() {
    assertThat(SERVICE.kind()).isEqualTo(AgentKind.SERVICE);
    try (TestAgent service = TestAgent.of(SERVICE).start()) {
      MemoryStore adas = adas(service);
      same(adas, "1");
      remember(adas, "c", "the service went down");
      assertThat(service.run(Map.of()).output().at("/consolidated/0/merged").asInt()).isEqualTo(1);
      assertThat(adas.all(Set.of()))
          .extracting(Memory::text)
          .contains("the service went down")
          .hasSize(2);
      same(adas, "2");
      assertThat(service.state()).isEqualTo(AgentState.SUSPENDED);
      service.advance(Duration.ofMinutes(30));
      assertThat(adas.all(Set.of())).hasSize(4);
      service.crash();
      service.advance(Duration.ofMinutes(31));
      assertThat(adas.all(Set.of())).hasSize(2);
      same(adas, "3");
      service.advance(Duration.ofMinutes(61));
      assertThat(adas.all(Set.of())).hasSize(2);
      assertThat(service.state()).isEqualTo(AgentState.SUSPENDED);
    }
  }

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void itGoesOnWhereverItDies(KillPoint.Side side) {
    int writes =
        KillPoint.walk(
            side,
            point -> {
              try (TestAgent service = TestAgent.of(SERVICE).killed(point).start()) {
                MemoryStore adas = adas(service);
                same(adas, "1");
                service.run(Map.of());
                same(adas, "2");
                service.advance(Duration.ofMinutes(61));
                service.advance(Duration.ofMinutes(61));
                assertThat(adas.all(Set.of())).hasSize(1);
                assertThat(service.state()).isEqualTo(AgentState.SUSPENDED);
              }
            });
    assertThat(writes).isGreaterThanOrEqualTo(10);
  }

  @Test
  void aPlannerMayHaveItDoneAtOnceForThoseThatItTakesCareOf() {
    AgentBlueprint asked =
        AgentBlueprint.of(
                ScriptedActionPolicy.class,
                Script.of(
                    ScriptedRule.first().act("memory_consolidate"),
                    ScriptedRule.after("memory_consolidate")
                        .succeeded()
                        .act("memory_consolidate", "agent", "eve"),
                    ScriptedRule.otherwise().complete("over")))
            .capability(
                MemoryManagementCapability.bind(MemoryManagementCapability.Args.of().how(AT_ONCE)));
    try (TestAgent agent = TestAgent.of(asked).start()) {
      agent.run(Map.of());
      assertThat(agent.steps().actions("memory_consolidate").getFirst().output().at("/0/agent"))
          .hasToString("\"agent\"");
      assertThat(agent.steps().actions("memory_consolidate").getLast().error().orElseThrow())
          .isEqualTo("this agent does not take care of the memories of eve, only of [agent]");
    }
  }

  @Test
  void aMemoryThatHasChangedMeanwhileIsLeft() {
    try (Blackboards boards = new InMemoryBlackboards()) {
      MemoryStore memories = of(ADA, boards);
      remember(memories, "a", "the disk was full");
      remember(memories, "b", "the disk was full");
      List<Memory> seen = memories.all(Set.of());
      Consolidation.Step step = AT_ONCE.steps(seen, Instant.now()).getFirst();
      memories.access(List.of(seen.getFirst()), Instant.now());
      assertThat(memories.replace(step)).isFalse();
      assertThat(memories.all(Set.of())).hasSize(2);
      Consolidation.Step next = AT_ONCE.steps(memories.all(Set.of()), Instant.now()).getFirst();
      assertThat(memories.replace(next)).isTrue();
      assertThat(memories.all(Set.of())).containsExactly(next.result());
    }
  }
}
