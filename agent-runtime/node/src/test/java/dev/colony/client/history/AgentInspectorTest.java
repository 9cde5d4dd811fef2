package dev.colony.client.history;

import static dev.colony.client.history.WrittenAgent.LIFECYCLE;
import static dev.colony.client.history.WrittenAgent.ended;
import static dev.colony.client.history.WrittenAgent.stepped;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How an agent stands and stood by its journal, while it goes on. */
class AgentInspectorTest {

  private WrittenAgent agent;
  private AgentInspector inspector;

  private void begin(int snapshotEvery, String keep) {
    agent = new WrittenAgent(snapshotEvery, keep);
    inspector = new AgentInspector(agent.reader(), LIFECYCLE);
  }

  @AfterEach
  void end() {
    agent.close();
  }

  @Test
  void anAgentThatHasJournaledNothingIsNotThere() {
    begin(10, "all");
    AgentId nobody = new AgentId("acme", "nowhere", "x");
    assertThat(inspector.look(nobody).toCompletableFuture().join()).isEmpty();
    assertThat(inspector.at(nobody, 1).toCompletableFuture().join())
        .isEqualTo(new StateAt.Unknown(nobody));
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", "1", "3"})
  void whatIsReadIsTheLiveStateWhateverIsKept(String keep) {
    begin(10, keep);
    agent.journal(agent.born());
    for (int run = 0; run < 5; run++) {
      agent.journal(agent.accepted("r" + run));
      for (int step = 0; step < 7; step++) {
        AgentSnapshot live = agent.journal(stepped(run, step));
        assertThat(look()).isEqualTo(state(live, agent.written()));
      }
      AgentSnapshot live = agent.journal(ended("r" + run));
      assertThat(look()).isEqualTo(state(live, agent.written()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", "1", "3"})
  void whatItWasAtAnyNumberIsKnownAsFarBackAsTheJournalReaches(String keep) {
    begin(10, keep);
    Map<Long, AgentSnapshot> lived = new TreeMap<>();
    remember(lived, agent.born());
    for (int run = 0; run < 6; run++) {
      remember(lived, agent.accepted("r" + run));
      for (int step = 0; step < 7; step++) {
        remember(lived, stepped(run, step));
      }
      remember(lived, ended("r" + run));
    }
    List<Long> forgotten = new ArrayList<>();
    lived.forEach((number, state) -> {
      switch (replay(number)) {
        case Replayed.State replayed ->
            assertThat(replayed)
                .isEqualTo(new Replayed.State(agent.id, state, number, Optional.empty()));
        case Replayed.Missing missing -> {
          long oldest = ((StateAt.Forgotten) missing.why()).oldest();
          assertThat(oldest).isGreaterThan(number);
          assertThat(at(oldest)).isInstanceOf(StateAt.Known.class);
          assertThat(at(oldest - 1)).isInstanceOf(StateAt.Forgotten.class);
          forgotten.add(number);
        }
      }
    });
    assertThat(forgotten.isEmpty()).isEqualTo(keep.equals("all"));
    assertThat(at(agent.written() + 1L))
        .isEqualTo(new StateAt.NotYet(agent.id, agent.written() + 1L, agent.written()));
  }

  @Test
  void anAgentIsReadWhileItWritesAndNoticesNothing() throws Exception {
    begin(10, "1");
    agent.journal(agent.born());
    agent.journal(agent.accepted("r0"));
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              for (int step = 0; step < 200; step++) {
                agent.journal(stepped(0, step));
              }
            });
    List<Integer> seen = new ArrayList<>();
    do {
      seen.add(look().runs().getFirst().stats().orElseThrow().steps());
    } while (writer.isAlive());
    writer.join();
    seen.add(look().runs().getFirst().stats().orElseThrow().steps());
    assertThat(seen).isSorted().endsWith(200);
  }

  private void remember(Map<Long, AgentSnapshot> lived, AgentEvent... events) {
    for (AgentEvent event : events) {
      AgentSnapshot state = agent.journal(event);
      lived.put((long) agent.written(), state);
    }
  }

  private AgentView look() {
    return inspector.look(agent.id).toCompletableFuture().join().orElseThrow();
  }

  private AgentView state(AgentSnapshot live, long number) {
    return Views.of(new Replayed.State(agent.id, live, number, Optional.empty()));
  }

  private Replayed replay(long number) {
    return inspector.replay(agent.id, number).toCompletableFuture().join();
  }

  private StateAt at(long number) {
    return inspector.at(agent.id, number).toCompletableFuture().join();
  }
}
