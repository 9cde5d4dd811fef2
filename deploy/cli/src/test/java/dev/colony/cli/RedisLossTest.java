package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run outlives its Redis server and ends with the answer of an undisturbed one. */
class RedisLossTest {

  @TempDir private Path elsewhere;
  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void itsOwnServerIsStartedAgain() {
    Held analyst = rig.model().hold(Call::analysts);
    RunningCommand run = rig.ask();
    analyst.await();
    RedisServerProcess killed = rig.redis().orElseThrow();

    Rig.kill(killed.pid());
    run.awaitErr("colony: Redis at " + killed.address() + " had died; it runs again");
    analyst.release();

    assertThat(Rig.essence(run.await())).isEqualTo(Rig.undisturbed());
    assertThat(run.err()).doesNotContain("\tat ");
    rig.assertNothingRuns();
  }

  @Test
  void aServerThatIsNotItsOwnIsWaitedFor() {
    ServerSettings settings = ServerSettings.in(elsewhere);
    RedisServerProcess server = RedisServerProcess.ensure(settings);
    try {
      rig.useRedis(server.uri());
      Held analyst = rig.model().hold(Call::analysts);
      Held coordinator = rig.model().hold(Call::coordinators);
      ColonyProcess run = rig.askApart();
      analyst.await();

      Rig.kill(server.pid());
      String address = "127.0.0.1:" + server.port();
      run.awaitErr("colony: Redis at " + address + " does not answer; waiting for it");
      analyst.release();
      assertThat(run.handle().isAlive()).isTrue();

      server = RedisServerProcess.ensure(settings);
      run.awaitErr("colony: Redis at " + address + " is back");
      coordinator.await();
      coordinator.release();
      assertThat(Rig.essence(run.await())).isEqualTo(Rig.undisturbed());
      assertThat(run.err()).doesNotContain("\tat ");
      assertThat(server.alive()).as("what is not ours is left alone").isTrue();
    } finally {
      server.stop();
    }
  }
}
