package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.Transitions.Transition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every command in every state, for every kind of agent, against the table as it was designed. */
class TransitionsTest {

  private record Triple(AgentState state, LifecycleCommand command, AgentKind kind) {}

  private static final String OTHERS =
      """
      INITIALIZED START           IDLE      RUNNING
      INITIALIZED SUSPEND         SUSPENDED SUSPENDED
      INITIALIZED STOP            STOPPED   STOPPED
      INITIALIZED FAIL            FAILED    FAILED
      IDLE        BEGIN_WORK      RUNNING   RUNNING
      IDLE        SUSPEND         SUSPENDED SUSPENDED
      IDLE        STOP            STOPPED   STOPPED
      IDLE        FAIL            FAILED    FAILED
      RUNNING     BLOCK           WAITING   WAITING
      RUNNING     FINISH_WORK     IDLE      IDLE
      RUNNING     SUSPEND         SUSPENDED SUSPENDED
      RUNNING     STOP            STOPPED   STOPPED
      RUNNING     FAIL            FAILED    FAILED
      WAITING     UNBLOCK         RUNNING   RUNNING
      WAITING     SUSPEND         SUSPENDED SUSPENDED
      WAITING     STOP            STOPPED   STOPPED
      WAITING     FAIL            FAILED    FAILED
      SUSPENDED   RESUME          IDLE      RUNNING
      SUSPENDED   SUSPEND         SUSPENDED SUSPENDED
      SUSPENDED   STOP            STOPPED   STOPPED
      SUSPENDED   FAIL            FAILED    FAILED
      """;
  private static final String BOUND =
      OTHERS.replace("IDLE", "LOADED")
          + """
          LOADED      PAGES_EVICTED   UNLOADED  UNLOADED
          RUNNING     PAGES_EVICTED   SUSPENDED SUSPENDED
          WAITING     PAGES_EVICTED   SUSPENDED SUSPENDED
          UNLOADED    PAGES_AVAILABLE LOADED    RUNNING
          UNLOADED    SUSPEND         SUSPENDED SUSPENDED
          UNLOADED    STOP            STOPPED   STOPPED
          UNLOADED    FAIL            FAILED    FAILED
          SUSPENDED   PAGES_AVAILABLE LOADED    RUNNING
          """;
  private static final Map<Triple, Transition> CARRIED_OUT = table();
  private static final Set<Triple> VISITED = new HashSet<>();

  @TestFactory
  List<DynamicTest> everyCommandInEveryStateOfEveryKind() {
    List<DynamicTest> tests = new ArrayList<>();
    for (AgentKind kind : AgentKind.values()) {
      for (AgentState state : AgentState.values()) {
        for (LifecycleCommand command : LifecycleCommand.values()) {
          Triple triple = new Triple(state, command, kind);
          tests.add(DynamicTest.dynamicTest(triple.toString(), () -> visit(triple)));
        }
      }
    }
    return tests;
  }

  @AfterAll
  static void nothingIsLeftOut() {
    int all =
        AgentKind.values().length * AgentState.values().length * LifecycleCommand.values().length;
    assertThat(VISITED).hasSize(all).containsAll(CARRIED_OUT.keySet());
  }

  private static void visit(Triple triple) {
    VISITED.add(triple);
    switch (Transitions.of(triple.state(), triple.command(), triple.kind())) {
      case Transition.To to -> assertThat(to).isEqualTo(CARRIED_OUT.get(triple));
      case Transition.Refused refused -> {
        assertThat(CARRIED_OUT).doesNotContainKey(triple);
        assertThat(refused.reason()).isNotBlank().doesNotContain("\n");
      }
    }
  }

  @Test
  void aRefusalSaysWhatStandsInTheWay() {
    assertThat(reason(AgentState.STOPPED, LifecycleCommand.RESUME, AgentKind.UNBOUND))
        .isEqualTo("the agent is STOPPED for good");
    assertThat(reason(AgentState.LOADED, LifecycleCommand.STOP, AgentKind.SERVICE))
        .isEqualTo("an agent that is SERVICE is never LOADED");
    assertThat(reason(AgentState.RUNNING, LifecycleCommand.PAGES_EVICTED, AgentKind.SUPERVISOR))
        .isEqualTo("an agent that is SUPERVISOR is not bound to pages");
    assertThat(reason(AgentState.LOADED, LifecycleCommand.PAGES_AVAILABLE, AgentKind.VCM_BOUND))
        .isEqualTo("it makes no difference to an agent that is LOADED");
    assertThat(reason(AgentState.UNLOADED, LifecycleCommand.RESUME, AgentKind.VCM_BOUND))
        .isEqualTo("the agent goes on when its pages are available");
    assertThat(reason(AgentState.RUNNING, LifecycleCommand.RESUME, AgentKind.UNBOUND))
        .isEqualTo("the agent is not suspended: it is RUNNING");
    assertThat(reason(AgentState.SUSPENDED, LifecycleCommand.BEGIN_WORK, AgentKind.UNBOUND))
        .isEqualTo("work waits while the agent is SUSPENDED");
    assertThat(reason(AgentState.IDLE, LifecycleCommand.UNBLOCK, AgentKind.UNBOUND))
        .isEqualTo("the agent waits for nothing: it is IDLE");
  }

  @Test
  void noWayLeadsOutOfAnEnd() {
    for (AgentKind kind : AgentKind.values()) {
      assertThat(Transitions.of(kind).rows().keySet()).noneMatch(AgentState::terminal);
    }
  }

  private static String reason(AgentState state, LifecycleCommand command, AgentKind kind) {
    return ((Transition.Refused) Transitions.of(state, command, kind)).reason();
  }

  private static Map<Triple, Transition> table() {
    List<Map.Entry<Triple, Transition>> rows = new ArrayList<>();
    for (AgentKind kind : AgentKind.values()) {
      String table = kind == AgentKind.VCM_BOUND ? BOUND : OTHERS;
      table.lines().map(line -> row(kind, line.split(" +"))).forEach(rows::add);
    }
    return rows.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static Map.Entry<Triple, Transition> row(AgentKind kind, String[] cells) {
    return Map.entry(
        new Triple(AgentState.valueOf(cells[0]), LifecycleCommand.valueOf(cells[1]), kind),
        new Transition.To(AgentState.valueOf(cells[2]), AgentState.valueOf(cells[3])));
  }
}
