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

/** Of three nodes any may die in the middle of a run: the answer arrives and is the same. */
class NodeLossTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void theNodeOfAnAnalystDuringItsCall() {
    survives(Call::analysts, Call::node);
  }

  @Test
  @Tag("faults")
  void theNodeOfTheCoordinatorDuringItsCall() {
    survives(Call::coordinators, Call::node);
  }

  @Test
  @Tag("faults")
  void theFirstNode() {
    survives(Call::analysts, call -> "node-1");
  }

  private void survives(Predicate<Call> when, Function<Call, String> who) {
    Held held = rig.model().hold(when);
    ColonyProcess run = rig.ask("--nodes", "3");
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
    assertThat(finished.json().path("stats").path("nodes").asInt()).isEqualTo(3);
    rig.assertNothingRuns();
  }
}
