package dev.colony.node.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process whose agents pay is killed again and again, wherever they are: no agent pays twice. */
@Tag("faults")
class KilledPaymentsTest {

  private static final int AGENTS = 20;
  private static final int TIMES = 300;
  private static final int KILLS = 4;

  @TempDir Path directory;
  private RedisServerProcess redis;
  private Process node;

  @AfterEach
  void stop() {
    if (node != null) {
      node.destroyForcibly();
    }
    if (redis != null) {
      redis.stop();
    }
  }

  @Test
  @Timeout(240)
  void nothingIsPaidTwiceAndNoPaymentIsLost() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    redis = RedisServerProcess.ensure(ServerSettings.in(directory).withFsync(Fsync.EVERYSEC));
    Path payments = directory.resolve("payments");
    Files.createFile(payments);
    try (RedisBlackboards boards = PayingNode.boards(redis.uri())) {
      List<RunHandle> runs = ask(boards);
      int wanted = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        start(payments);
        wanted += 1 + random.nextInt(AGENTS * TIMES / KILLS - 1);
        int enough = wanted;
        await()
            .pollInterval(1, TimeUnit.MILLISECONDS)
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> Files.readAllLines(payments).size() >= enough);
        node.destroyForcibly().onExit().join();
      }
      start(payments);
      int interrupted = 0;
      for (RunHandle run : runs) {
        AgentRun ended = run.result().toCompletableFuture().orTimeout(120, TimeUnit.SECONDS).join();
        assertThat(ended.error()).isEmpty();
        assertThat(ended.output()).hasSize(TIMES);
        for (JsonNode status : ended.output()) {
          assertThat(status.asText()).isIn("SUCCEEDED", "INTERRUPTED");
          interrupted += status.asText().equals("INTERRUPTED") ? 1 : 0;
        }
      }
      List<String> paid = Files.readAllLines(payments);
      System.out.println(paid.size() + " paid, " + interrupted + " interrupted");
      assertThat(paid).doesNotHaveDuplicates();
      // An agent that was interrupted may have paid or not; every other has.
      assertThat(paid.size()).isBetween(AGENTS * TIMES - interrupted, AGENTS * TIMES);
      assertThat(interrupted).isLessThanOrEqualTo(AGENTS * KILLS);
    }
  }

  private static List<RunHandle> ask(RedisBlackboards boards) {
    var config = PayingNode.config("redis://unused");
    var colony =
        new BlackboardColony(
            boards, HomeResolver.byHash(8), Settings.read(ClientSettings.class, config));
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < AGENTS; i++) {
      AgentHandle agent =
          colony
              .spawn(new AgentId("acme", "killed", "payer-" + i), PayerTypes.BLUEPRINT)
              .toCompletableFuture()
              .join();
      runs.add(
          agent.run(
              JsonNodeFactory.instance.objectNode().put("times", TIMES),
              RunOptions.namespace("test")));
    }
    runs.forEach(run -> run.stored().toCompletableFuture().join());
    return runs;
  }

  private void start(Path payments) throws IOException {
    node =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                PayingNode.class.getName(),
                redis.uri(),
                payments.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("node.log").toFile())
            .start();
  }
}
