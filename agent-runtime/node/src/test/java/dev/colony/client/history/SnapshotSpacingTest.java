package dev.colony.client.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.client.history.AgentHistory.SnapshotSpacing;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SnapshotSpacingTest {

  private static final int EVERY = 10;

  private final SnapshotSpacing spacing = new SnapshotSpacing(EVERY);
  private final WrittenAgent agent = new WrittenAgent(EVERY, "all");
  private AgentSnapshot state = AgentSnapshot.UNBORN;
  private long events;
  private long last;
  private long written;

  @AfterEach
  void end() {
    agent.close();
  }

  @Test
  void anAgentOfShortRunsIsStoredAtEvenDistances() {
    happen(agent.born());
    for (int run = 0; run < 20; run++) {
      happen(agent.accepted("r" + run));
      for (int step = 0; step < 3; step++) {
        happen(WrittenAgent.stepped(run, step));
      }
      happen(WrittenAgent.ended("r" + run));
      assertThat(events - last).isLessThan(EVERY);
    }
  }

  @Test
  void aLongRunWritesInAllNoMoreThanAFewTimesWhatItDid() {
    happen(agent.born());
    happen(agent.accepted("r0"));
    for (int step = 0; step < 5_000; step++) {
      happen(WrittenAgent.stepped(0, step));
      assertThat(events - last).isLessThan(EVERY + 2L * (step + 1));
    }
    assertThat(written).isLessThan(3 * 5_000);
    happen(WrittenAgent.ended("r0"));
    for (int run = 1; run < 10; run++) {
      happen(agent.accepted("r" + run));
      happen(WrittenAgent.ended("r" + run));
    }
    assertThat(events - last).isLessThan(EVERY);
  }

  @Test
  void aDistanceThatIsNoneIsRefused() {
    assertThatThrownBy(() -> new SnapshotSpacing(0)).isInstanceOf(IllegalArgumentException.class);
  }

  private void happen(AgentEvent... some) {
    for (AgentEvent event : some) {
      state = WrittenAgent.LIFECYCLE.apply(state, event);
      events++;
      if (spacing.due(state, events)) {
        last = events;
        written += state.active().map(run -> run.history().size()).orElse(0);
      }
    }
  }
}
