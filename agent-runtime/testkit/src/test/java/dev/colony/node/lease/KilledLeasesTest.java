package dev.colony.node.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three nodes whose agents need leases, and the one that keeps all leases is killed: all agents
 * end, none calls two replicas by leases at once, and the next node knows all leases in a few
 * seconds.
 */
@Tag("faults")
class KilledLeasesTest {

  private static final int AGENTS = 18;
  private static final int TURNS = 40;

  /** A call by a lease that has not ended. */
  private record Call(int node, String replica) {}

  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private final Blackboards client =
      new RedisBlackboards(
          new RedisConnections(redis.uri(), Duration.ofSeconds(20)), BlackboardSettings.DEFAULTS);
  private final List<Process> nodes = new ArrayList<>();
  private final StringBuffer said = new StringBuffer();
  private final Map<String, Call> calls = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int leased;
  private long beganAt;
  private long rebuiltAt;

  @AfterEach
  void stop() {
    nodes.forEach(Process::destroyForcibly);
    client.close();
    redis.close();
  }

  @Test
  @Timeout(900)
  void allAgentsEndAndTheLeasesAreKnownAgain() throws Exception {
    BlackboardColony colony =
        new BlackboardColony(
            client, HomeResolver.byHash(8), ClientSettings.fromConfig(LocalNode.config("")));
    String oldest = node(Optional.empty());
    node(Optional.of(oldest));
    node(Optional.of(oldest));
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < AGENTS; i++) {
      AgentHandle agent =
          colony
              .spawn(new AgentId("t", "leased", "a" + i), TurnTypes.BLUEPRINT)
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
      runs.add(
          agent.run(
              JsonNodeFactory.instance.objectNode().put("turns", TURNS),
              RunOptions.namespace("test")));
    }
    await().atMost(Duration.ofSeconds(300)).until(() -> leased() > 5 * AGENTS);
    killFirst();
    for (RunHandle handle : runs) {
      AgentRun run = handle.result().toCompletableFuture().get(200, TimeUnit.SECONDS);
      assertThat(run.status()).as(said.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    }
    synchronized (calls) {
      System.out.printf(
          "%d calls by leases; a new authority knew all leases %d ms after it had begun%n",
          leased, (rebuiltAt - beganAt) / 1_000_000);
      assertThat(wrong).isEmpty();
      assertThat(rebuiltAt).as("the next authority has begun").isPositive();
      assertThat(Duration.ofNanos(rebuiltAt - beganAt)).isLessThan(Duration.ofSeconds(5));
    }
  }

  private int leased() {
    synchronized (calls) {
      return leased;
    }
  }

  private void killFirst() {
    nodes.getFirst().destroyForcibly().onExit().join();
    synchronized (calls) {
      calls.values().removeIf(call -> call.node() == 0);
    }
  }

  private void heard(int node, String line) {
    String[] words = line.split(" ");
    synchronized (calls) {
      switch (words[0]) {
        case "begin" -> {
          leased++;
          Call other = calls.put(words[1], new Call(node, words[2]));
          if (other != null && !other.replica().equals(words[2])) {
            wrong.add(line + " while it calls " + other);
          }
        }
        case "end" -> calls.remove(words[1]);
        case "leases" -> {
          if (node > 0 && words[2].equals("true") && beganAt == 0) {
            beganAt = System.nanoTime();
          } else if (node > 0 && words[2].equals("false") && rebuiltAt == 0) {
            rebuiltAt = System.nanoTime();
          }
        }
        default -> said.append(line).append('\n');
      }
    }
  }

  private String node(Optional<String> seed) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                LeasedNode.class.getName(),
                redis.uri()));
    seed.ifPresent(command::add);
    Process node = new ProcessBuilder(command).redirectErrorStream(true).start();
    int number = nodes.size();
    nodes.add(node);
    BufferedReader lines = node.inputReader();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("up ")) {
        Thread.ofVirtual().start(() -> lines.lines().forEach(rest -> heard(number, rest)));
        return line.substring(3);
      }
      heard(number, line);
    }
    throw new AssertionError("the process ended early and said:\n" + said);
  }
}
