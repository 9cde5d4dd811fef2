package dev.colony.client.history;

import static dev.colony.client.history.WrittenAgent.LIFECYCLE;
import static dev.colony.client.history.WrittenAgent.ended;
import static dev.colony.client.history.WrittenAgent.stepped;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.author.StepDelta.StreamAppend;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StateDifferenceTest {

  private final WrittenAgent agent = new WrittenAgent(100, "all");

  @AfterEach
  void end() {
    agent.close();
  }

  @Test
  void aStepShowsAsTheActionThatItAddedAndWhatItChanged() {
    AgentSnapshot before = live(agent.born(), new AgentEvent[] {agent.accepted("r0")});
    AgentSnapshot after = apply(before, stepped(0, 0));
    StateDifference difference = between(before, after);
    assertThat(difference.changes())
        .extracting(StateDifference.Change::path)
        .contains("/openRun/actions/0", "/runs/0/stats/steps")
        .allMatch(path -> path.startsWith("/openRun/") || path.startsWith("/runs/0/"));
    assertThat(change(difference, "/runs/0/stats/steps"))
        .isEqualTo(
            new StateDifference.Change(
                "/runs/0/stats/steps",
                Optional.of(IntNode.valueOf(0)),
                Optional.of(IntNode.valueOf(1))));
    assertThat(change(difference, "/openRun/actions/0").before()).isEmpty();
    assertThat(between(after, after).changes()).isEmpty();
  }

  @Test
  void aWindowThatHasRolledOnShowsWhatItLostAndWhatCame() {
    AgentSnapshot state = live(agent.born(), new AgentEvent[] {agent.accepted("r0")});
    for (int i = 0; i < 3; i++) {
      state = apply(state, noted(i));
    }
    StateDifference difference = between(state, apply(state, noted(3)));
    assertThat(difference.changes())
        .filteredOn(change -> change.path().startsWith("/memory/streams"))
        .extracting(change -> change.path() + " " + change.before().isPresent())
        .containsExactly("/memory/streams/a~1b/0 true", "/memory/streams/a~1b/2 false");
  }

  @Test
  void aRunThatEndsTakesItsActionsAway() {
    AgentSnapshot open = live(agent.born(), new AgentEvent[] {agent.accepted("r0")}, stepped(0, 0));
    StateDifference difference = between(open, apply(open, ended("r0")));
    assertThat(change(difference, "/openRun").after()).isEmpty();
    assertThat(change(difference, "/published/0").before()).isEmpty();
  }

  private static AgentEvent noted(int step) {
    StreamEntry entry =
        new StreamEntry("note", WrittenAgent.START, JsonNodeFactory.instance.numberNode(step));
    StepDelta delta =
        new StepDelta(
            null,
            List.of(new StreamAppend("a/b", 3, entry)),
            Map.of(),
            Optional.empty(),
            Optional.empty());
    return new AgentEvent.StepCompleted(
        step,
        Optional.empty(),
        delta,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        WrittenAgent.START);
  }

  private StateDifference between(AgentSnapshot before, AgentSnapshot after) {
    return StateDifference.between(view(before), view(after));
  }

  private AgentView view(AgentSnapshot state) {
    return Views.of(new Replayed.State(agent.id, state, 1, Optional.empty()));
  }

  private static StateDifference.Change change(StateDifference difference, String path) {
    return difference.changes().stream()
        .filter(one -> one.path().equals(path))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + path + " in " + difference));
  }

  private static AgentSnapshot live(AgentEvent[]... events) {
    AgentSnapshot state = AgentSnapshot.UNBORN;
    for (AgentEvent[] some : events) {
      state = apply(state, some);
    }
    return state;
  }

  private static AgentSnapshot apply(AgentSnapshot state, AgentEvent... events) {
    AgentSnapshot next = state;
    for (AgentEvent event : events) {
      next = LIFECYCLE.apply(next, event);
    }
    return next;
  }
}
