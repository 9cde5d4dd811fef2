package dev.colony.agent.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentRun;
import dev.colony.agent.SessionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is left of agents, runs and sessions when their time is over: nothing. */
class RetentionTest {

  private static final int RUNS = 300;
  private static final int AGENTS = 10;
  private static final Set<String> FOR_GOOD =
      Set.of("colony:buckets", "colony:layout", "colony:journal:layout");

  @Test
  void nothingIsLeftOfWhatHasHadItsTime() {
    try (KeptNode kept =
        new KeptNode(
            """
            colony.agent {
              retention { runs = 1s, progress = 1s, agents = 1s, events = 1s, sweep = 200ms, pause = 1ms }
              session { keep-runs = 1s, keep = 1s }
              client.keep-signals = 1s
              passivate-after = 100ms
            }
            """)) {
      List<AgentHandle> agents = new ArrayList<>();
      for (int i = 0; i < AGENTS; i++) {
        agents.add(kept.spawn("agent-" + i));
        KeptNode.get(kept.sessions().open(new SessionId("s" + i), "test"));
      }
      List<CompletionStage<AgentRun>> runs = new ArrayList<>();
      for (int i = 0; i < RUNS; i++) {
        runs.add(kept.run(agents.get(i % AGENTS), "s" + i % AGENTS));
      }
      assertThat(runs)
          .extracting(run -> KeptNode.get(run).status())
          .containsOnly(AgentRun.Status.COMPLETED);
      System.out.printf("after %d runs: %s%n", RUNS, kinds(kept.keys()));
      agents.forEach(agent -> KeptNode.get(agent.stop("the test says so")));
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(kept.keys()).isEqualTo(FOR_GOOD));
      assertThat(KeptNode.get(kept.boards.inbox().length())).isZero();
    }
  }

  /** How many keys there are of each kind, numbers and names left out. */
  private static TreeMap<String, Long> kinds(Set<String> keys) {
    return keys.stream()
        .map(key -> key.replaceAll("\\{[^}]*}", "{}").replaceAll("(agent-|:s)\\d+", "$1N"))
        .map(key -> key.replaceAll("run:[a-zA-Z0-9:._-]+", "run:*"))
        .collect(Collectors.groupingBy(key -> key, TreeMap::new, Collectors.counting()));
  }
}
