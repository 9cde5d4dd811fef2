package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import dev.colony.cli.local.UpRecord.NodeRecord;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Any node may die in the middle of a run: the answer arrives and is the same. */
class NodeLossTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void theNodeOfAnAnalystDuringItsCall() {
    survives(2, Call::analysts, Call::node);
  }

  @Test
  @Tag("faults")
  void theNodeOfTheCoordinatorDuringItsCall() {
    survives(3, Call::coordinators, Call::node);
  }

  @Test
  @Tag("faults")
  void theFirstNode() {
    survives(3, Call::analysts, call -> "node-1");
  }

  private void survives(int nodes, Predicate<Call> when, Function<Call, String> who) {
    Held held = rig.model().hold(when);
    ColonyProcess run = rig.askApart("--nodes", Integer.toString(nodes));
    NodeRecord victim = rig.node(who.apply(held.await()));
    RedisServerProcess redis = rig.redis().orElseThrow();

    Held last = rig.model().hold(Call::coordinators);
    Rig.kill(victim.pid());
    held.release();
    Call composing = last.await();
    assertThat(composing.node()).isNotEqualTo(victim.address());
    assertThat(redis.alive()).as("the very same Redis server answers").isTrue();
    last.release();

    Finished finished = run.await();
    assertThat(Rig.essence(finished)).isEqualTo(Rig.undisturbed());
    assertThat(finished.err())
        .contains(victim.name() + " is gone; the others take over its agents")
        .doesNotContain("\tat ");
    assertThat(finished.json().path("stats").path("nodes").asInt()).isEqualTo(nodes);
    rig.assertNothingRuns();
  }
}
