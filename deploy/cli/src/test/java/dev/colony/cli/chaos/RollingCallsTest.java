package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.RunHandle;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes that are restarted in turn by SIGTERM while the model takes twenty seconds for each call,
 * and about twenty calls are under way: they end before their node leaves.
 */
@Tag("faults")
class RollingCallsTest {

  private static final int AGENTS = 20;
  private static final int CALLS = 6;
  private static final Duration CALL = Duration.ofSeconds(20);
  private static final Duration ALL_ENDED_WITHIN = Duration.ofMinutes(6);

  /** Of twenty calls that are made, so many may be made a second time. */
  private static final int MADE = 20;

  private static final Pattern CUT =
      Pattern.compile("(\\d+) model calls have not ended within \\S+; they are asked again");

  @TempDir private Path folder;

  @Test
  void callsUnderWayEndBeforeTheirNodeLeaves() throws Exception {
    try (RecordingModelServer model = RecordingModelServer.start(RollingCallsTest::slowly);
        RollingCluster cluster = new RollingCluster(folder, grace(), Optional.of(model.uri()))) {
      List<RunHandle> runs = new ArrayList<>();
      for (int i = 0; i < AGENTS; i++) {
        AgentId id = new AgentId("acme", "rolling", "asker-" + i);
        runs.add(
            cluster
                .direct()
                .spawn(id, AskerTypes.BLUEPRINT)
                .toCompletableFuture()
                .join()
                .run(
                    AskerTypes.input(CALLS),
                    RunOptions.namespace("work").runId(new RunId("c-" + i))));
      }
      await().atMost(ALL_ENDED_WITHIN).until(() -> model.chats().size() >= AGENTS);
      cluster.restartEach();
      int asked = 0;
      for (RunHandle run : runs) {
        AgentRun end =
            run.result().toCompletableFuture().get(ALL_ENDED_WITHIN.toSeconds(), TimeUnit.SECONDS);
        assertThat(end.error()).isEmpty();
        assertThat(end.output()).isEqualTo(IntNode.valueOf(CALLS));
        asked += end.stats().modelCalls();
      }
      int made = model.chats().size();
      int repeated = made - questions(model).size();
      System.out.printf(
          "%d calls were made, %d of them again; the runs say %d%n", made, repeated, asked);
      assertThat(questions(model)).hasSize(AGENTS * CALLS);
      assertThat(repeated).as("calls that were made again").isLessThanOrEqualTo(made / MADE);
      assertThat(asked).as("calls that the runs count").isEqualTo(made);
      assertThat(cut(cluster)).as("calls that nodes say they have cut off").isEqualTo(repeated);
    }
  }

  private static String grace() {
    return "colony.agent.model-call-grace = " + CALL.plusSeconds(10).toSeconds() + "s\n";
  }

  private static Reply slowly(Recorded call) {
    long until = System.nanoTime() + CALL.toNanos();
    for (long left = CALL.toNanos(); left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    return Reply.answer("so");
  }

  private static Set<String> questions(RecordingModelServer model) {
    return model.chats().stream()
        .map(call -> call.messages("user").getLast())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static int cut(RollingCluster cluster) throws IOException {
    int cut = 0;
    for (String node : cluster.names()) {
      cut +=
          CUT.matcher(cluster.logs(node))
              .results()
              .map((MatchResult line) -> line.group(1))
              .mapToInt(Integer::parseInt)
              .sum();
    }
    return cut;
  }
}
