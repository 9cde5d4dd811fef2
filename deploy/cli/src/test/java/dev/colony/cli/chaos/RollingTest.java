package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.Colony;
import dev.colony.cli.chaos.FollowedLoad.Followed;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that ask and follow over HTTP while the nodes behind the entrance are restarted in turn,
 * and while there are more of them and fewer again: no run fails, and no follower misses anything.
 */
@Tag("faults")
class RollingTest {

  private static final double RUNS_PER_SECOND = 50;
  private static final int FLOWING = 100;
  private static final Duration ALL_ENDED_WITHIN = Duration.ofMinutes(4);

  @TempDir private Path folder;

  @Test
  void eachNodeIsRestartedInTurn() throws Exception {
    underLoad(RollingCluster::restartEach);
  }

  @Test
  void nodesAreAddedAndTakenAway() throws Exception {
    underLoad(cluster -> {
      cluster.grow();
      cluster.shrink();
    });
  }

  private interface Change {
    void to(RollingCluster cluster);
  }

  private void underLoad(Change change) throws Exception {
    try (RollingCluster cluster = new RollingCluster(folder);
        FollowedLoad load = new FollowedLoad(cluster.colony())) {
      load.start(RUNS_PER_SECOND);
      await().atMost(ALL_ENDED_WITHIN).until(() -> load.ended() >= FLOWING);
      change.to(cluster);
      long before = load.ended();
      await().atMost(ALL_ENDED_WITHIN).until(() -> load.ended() >= before + FLOWING);
      load.stop(ALL_ENDED_WITHIN);
      System.out.printf(
          "%d runs, %d events, %d connections that found no node%n",
          load.runs().size(),
          load.runs().stream().mapToInt(run -> run.had().size()).sum(),
          cluster.entrance().cut());
      assertThat(
              load.runs().stream()
                  .map(run -> run.ended().join())
                  .filter(end -> end.error().isPresent()))
          .as("runs that did not complete")
          .isEmpty();
      load.runs().forEach(run -> check(run, cluster.direct()));
    }
  }

  private static void check(Followed followed, Colony direct) {
    String what = followed.agent + " " + followed.run.runId();
    AgentRun end = followed.ended().join();
    assertThat(end.output()).as(what).isEqualTo(IntNode.valueOf(followed.steps));
    List<RunProgress> had = followed.had();
    // A step that a node's end interrupted is done again, and may be told of again.
    assertThat(
            had.subList(0, had.size() - 1).stream().map(event -> event.data().asInt()).distinct())
        .as(what)
        .containsExactlyElementsOf(IntStream.range(0, followed.steps).boxed().toList());
    Followed stored =
        new Followed(
            followed.agent,
            direct
                .agent(followed.agent)
                .attach(followed.run.runId(), RunOptions.namespace(FollowedLoad.NAMESPACE)),
            followed.steps);
    stored.run.events().subscribe(stored);
    stored.ended().join();
    assertThat(had).as(what).isEqualTo(stored.had());
  }
}
