package dev.colony.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.deploy.cli.ScriptedModel.Call;
import dev.colony.deploy.cli.ScriptedModel.Held;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A run outlives its Redis server: it waits, says so, and goes on when the server is back. */
class RedisLossTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void theRunWaitsForRedisAndGoesOn() {
    String undisturbed = Rig.essence(rig.ask().await());

    Held analyst = rig.model().hold(Call::analysts);
    Held coordinator = rig.model().hold(Call::coordinators);
    ColonyProcess run = rig.ask();
    analyst.await();
    RedisServerProcess redis = rig.redis().orElseThrow();
    Rig.kill(redis.pid());
    run.awaitErr("colony: Redis at 127.0.0.1:" + redis.port() + " does not answer; waiting for it");

    analyst.release();
    RedisServerProcess.ensure(rig.redisSettings());
    run.awaitErr("colony: Redis at 127.0.0.1:" + redis.port() + " is back");
    coordinator.await();
    coordinator.release();

    assertThat(Rig.essence(run.await())).isEqualTo(undisturbed);
    assertThat(run.err()).doesNotContain("\tat ");
    rig.assertNothingRuns();
  }
}
