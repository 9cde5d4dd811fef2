package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.ClusterNodes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three nodes whose agents need leases at two replicas, and something fails: all agents end, none
 * calls two replicas by leases at once, and where another node keeps the leases from then on, it
 * knows them all in a few seconds.
 */
@Tag("faults")
@Timeout(900)
class LeaseFaultsTest {

  private static final int AGENTS = 18;
  private static final int TURNS = 40;

  /** An authority's grace is 4 s. */
  private static final Duration KNOWN_AGAIN = Duration.ofSeconds(5);

  /** A call by a lease that has not ended. */
  private record Call(int node, String replica) {}

  private final Map<String, Call> calls = new HashMap<>();
  private final Map<String, Integer> byReplica = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int leased;
  private long beganAt;
  private long rebuiltAt;
  private final ClusterNodes nodes = new ClusterNodes(LeasedNode.class, 3, this::heard);

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  void theNodeThatKeepsTheLeasesIsKilled() throws Exception {
    List<RunHandle> runs = working();
    nodes.kill(0);
    forget(0);
    allEnd(runs);
    nextAuthorityKnowsAll();
  }

  @Test
  void theNodeThatKeepsTheLeasesIsCutOff() throws Exception {
    List<RunHandle> runs = working();
    nodes.cutOff(0);
    await().atMost(Duration.ofSeconds(120)).until(() -> !nodes.alive(0));
    forget(0);
    allEnd(runs);
    nextAuthorityKnowsAll();
  }

  @Test
  void anotherNodeIsCutOff() throws Exception {
    List<RunHandle> runs = working();
    nodes.cutOff(2);
    await().atMost(Duration.ofSeconds(120)).until(() -> !nodes.alive(2));
    forget(2);
    allEnd(runs);
    synchronized (calls) {
      assertThat(beganAt).as("the authority goes on").isZero();
    }
  }

  @Test
  void aReplicaIsLost() throws Exception {
    List<RunHandle> runs = working();
    for (int node = 0; node < 3; node++) {
      nodes.tell(node, "lose r1");
    }
    allEnd(runs);
    synchronized (calls) {
      assertThat(byReplica.get("r1")).as("calls there, of %d", leased).isLessThan(leased / 2);
    }
  }

  /** All agents, of which each has had some turns by then. */
  private List<RunHandle> working() throws Exception {
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < AGENTS; i++) {
      AgentHandle agent =
          nodes
              .colony()
              .spawn(new AgentId("t", "leased", "a" + i), TurnTypes.BLUEPRINT)
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
      runs.add(
          agent.run(
              JsonNodeFactory.instance.objectNode().put("turns", TURNS),
              RunOptions.namespace("test")));
    }
    await().atMost(Duration.ofSeconds(300)).until(() -> leased() > 5 * AGENTS);
    return runs;
  }

  private void allEnd(List<RunHandle> runs) throws Exception {
    for (RunHandle handle : runs) {
      AgentRun run = handle.result().toCompletableFuture().get(300, TimeUnit.SECONDS);
      assertThat(run.status()).as(nodes.said()).isEqualTo(AgentRun.Status.COMPLETED);
    }
    synchronized (calls) {
      System.out.printf("%d calls by leases, %s%n", leased, byReplica);
      assertThat(wrong).isEmpty();
    }
  }

  private void nextAuthorityKnowsAll() {
    synchronized (calls) {
      assertThat(rebuiltAt).as("the next authority has begun").isPositive();
      Duration took = Duration.ofNanos(rebuiltAt - beganAt);
      System.out.printf("a new authority knew all leases %s after it had begun%n", took);
      assertThat(took).isLessThan(KNOWN_AGAIN);
    }
  }

  private int leased() {
    synchronized (calls) {
      return leased;
    }
  }

  /** Calls of a node that is no more. */
  private void forget(int node) {
    synchronized (calls) {
      calls.values().removeIf(call -> call.node() == node);
    }
  }

  private void heard(int node, String line) {
    String[] words = line.split(" ");
    synchronized (calls) {
      switch (words[0]) {
        case "begin" -> {
          leased++;
          byReplica.merge(words[2], 1, Integer::sum);
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
        default -> {}
      }
    }
  }
}
