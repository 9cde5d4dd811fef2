package dev.colony.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.server.RedisKeeper;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is said and done when the Redis of a state directory is slow, and when it dies. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisKeeperTest {

  private static final Duration LONGEST = Duration.ofSeconds(30);

  @TempDir private Path folder;

  private final List<String> notices = new CopyOnWriteArrayList<>();
  private AutoCloseable keeper = () -> {};
  private ServerSettings settings;
  private RedisServerProcess server;

  @BeforeEach
  void start() {
    settings = ServerSettings.in(folder).withCarried(true);
    server = RedisServerProcess.ensure(settings);
  }

  @AfterEach
  void stop() throws Exception {
    keeper.close();
    signal("CONT", server.pid());
    RedisServerProcess.stop(settings);
  }

  @Test
  void aServerThatDoesNotAnswerIsSaidToBeSoOnceAndHasNotDied() throws Exception {
    keeper = new RedisKeeper(settings, notices::add);
    signal("STOP", server.pid());
    await().atMost(LONGEST).until(() -> !notices.isEmpty());
    String silent = "Redis at %s does not answer (pid %d runs); it is waited for";
    assertThat(notices).containsExactly(silent.formatted(server.address(), server.pid()));
    signal("CONT", server.pid());
    await().atMost(LONGEST).until(() -> notices.size() == 2);
    assertThat(notices.getLast()).isEqualTo("Redis at " + server.address() + " answers again");
    assertThat(RedisServerProcess.find(settings))
        .as("nothing was started beside it")
        .map(RedisServerProcess::pid)
        .contains(server.pid());
  }

  @Test
  void aServerWhosePidIsGoneHasDiedAndRunsAgain() throws Exception {
    keeper = new RedisKeeper(settings, notices::add);
    signal("KILL", server.pid());
    await().atMost(LONGEST).until(() -> !notices.isEmpty());
    assertThat(notices)
        .containsExactly("Redis at " + server.address() + " had died; it runs again");
  }

  /** A command that begins while the server is slow keeps it all the same. */
  @Test
  void aServerThatIsSlowIsKeptAndIsStoppedAsOneThatAnswers() throws Exception {
    StateDirectory state = StateDirectory.open(folder.resolve("state"));
    Config config = ConfigFactory.load();
    ServerSettings own = ServerSettings.fromConfig(config, state.redis());
    RedisServerProcess slow = RedisServerProcess.ensure(own);
    try {
      signal("STOP", slow.pid());
      assertThat(RedisServer.find(state, config)).contains(slow.uri());
      keeper = RedisServer.keep(state, config, slow.uri(), notices::add);
      await().atMost(LONGEST).until(() -> !notices.isEmpty());
      assertThat(notices.getFirst()).contains("does not answer");
      keeper.close();
      Thread stopping = Thread.ofVirtual().start(() -> RedisServerProcess.stop(own));
      signal("CONT", slow.pid());
      stopping.join();
      assertThat(RedisServerProcess.look(own)).isInstanceOf(RedisServerProcess.Found.None.class);
    } finally {
      signal("CONT", slow.pid());
      RedisServerProcess.stop(own);
    }
  }

  private static void signal(String name, long pid) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
  }
}
