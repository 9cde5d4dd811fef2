package dev.colony.node.entity;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What agents have in common is in memory once, and their states are as they would be without. */
class SharedStatesTest {

  private static final Instant NOW = Instant.EPOCH;
  private static final List<String> NAMES = List.of("ada", "bob");

  private final Lifecycle lifecycle = new Lifecycle(RunLimits.fromConfig(ConfigFactory.load()));
  private final EntityServices.SharedStates states = new EntityServices.SharedStates(lifecycle);

  /** Each time another object. */
  private static List<AgentEvent> life(String name) {
    Scope own = Scope.agent("t", "c", name);
    AgentBlueprint blueprint =
        AgentBlueprint.of(Blueprint.of("test.policy"), Blueprint.of("test.desk"));
    Watch watch =
        Watch.begun(own, Set.of(new KeyGlob("alarm:*")), new Position(1, 1), Optional.empty());
    return List.of(
        new AgentEvent.Spawned(blueprint, NOW),
        new AgentEvent.Claimed(1, "node", NOW),
        new AgentEvent.ScopesWatched(List.of(watch), 0, NOW));
  }

  private static AgentSnapshot unshared(Lifecycle lifecycle, String name) {
    AgentSnapshot state = AgentSnapshot.UNBORN;
    for (AgentEvent event : life(name)) {
      state = lifecycle.apply(state, event);
    }
    return state;
  }

  private AgentSnapshot replayed(String name) {
    AgentSnapshot state = AgentSnapshot.UNBORN;
    for (AgentEvent event : life(name)) {
      state = states.apply(state, event);
    }
    return state;
  }

  @Test
  void replayedAgentsShareWhatIsEqual() {
    shares(NAMES.stream().map(this::replayed).toList());
  }

  @Test
  void soDoThoseThatASnapshotBringsBack() {
    shares(
        List.of(
            replayed(NAMES.get(0)),
            states.fromJournal(states.toJournal(unshared(lifecycle, NAMES.get(1))))));
  }

  private void shares(List<AgentSnapshot> agents) {
    assertThat(agents).isEqualTo(NAMES.stream().map(name -> unshared(lifecycle, name)).toList());
    AgentSnapshot one = agents.get(0);
    AgentSnapshot other = agents.get(1);
    assertThat(one.blueprint().orElseThrow()).isSameAs(other.blueprint().orElseThrow());
    assertThat(one.watches().getFirst().globs()).isSameAs(other.watches().getFirst().globs());
    assertThat(states.shared(Set.of(new KeyGlob("alarm:*"))))
        .isSameAs(one.watches().getFirst().globs());
  }

  @Test
  void aSnapshotOfNothingStaysThat() {
    assertThat(states.fromJournal(AgentSnapshot.UNBORN)).isEqualTo(AgentSnapshot.UNBORN);
  }
}
