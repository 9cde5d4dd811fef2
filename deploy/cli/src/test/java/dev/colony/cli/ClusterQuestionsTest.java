package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.local.Cluster.BlackboardClient;
import dev.colony.cli.local.CommandConfig;
import dev.colony.server.node.Node;
import dev.colony.vcm.store.FollowedTrees;
import dev.colony.vcm.store.FollowedTrees.MappedTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A directory that a cluster follows is not looked through by the next question. */
class FollowedTreeTest {

  private static final String FOLLOWED = "as the cluster follows them";

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  private Finished ask() {
    Finished asked =
        rig.run(
            "run",
            rig.tree().toString(),
            "--ask",
            Rig.QUESTION,
            "--json",
            "--config",
            rig.config().toString());
    assertThat(asked.status()).as(asked.err()).isZero();
    return asked;
  }

  @Test
  void aChangeIsInTheNextAnswerAndNothingIsLookedThrough() throws Exception {
    Files.writeString(
        rig.config(), "colony.vcm.watch.trees.pause = 50 ms\n", StandardOpenOption.APPEND);
    Finished up =
        rig.run(
            "up", "--model-url", rig.model().uri().toString(), "--config", rig.config().toString());
    assertThat(up.status()).as(up.err()).isZero();
    assertThat(ask().err()).as("nothing is followed yet").doesNotContain(FOLLOWED);

    Config config = CommandConfig.base(Optional.of(rig.config()));
    MappedTree tree = MappedTree.of(rig.tree(), config).orElseThrow();
    try (BlackboardClient client =
        BlackboardClient.connect(rig.redis().orElseThrow().uri(), config, said -> {})) {
      FollowedTrees trees = new FollowedTrees(client.blackboards(), Node.PAGES_TENANT, "test");
      String first = awaitOther("", trees, tree);
      assertThat(ask().err()).contains(FOLLOWED);

      Path changed = rig.tree().resolve(Rig.file(1));
      Files.writeString(changed, Files.readString(changed).replace("clue 1", "clue 7"));
      awaitOther(first, trees, tree);
      Finished next = ask();
      assertThat(next.err()).contains(FOLLOWED);
      assertThat(next.json().path("answer").asText()).contains("clue 7").doesNotContain("clue 1");
    }
  }

  /** Waits until another map of it is known, and gives that. */
  private static String awaitOther(String map, FollowedTrees trees, MappedTree tree) {
    return await()
        .atMost(ColonyProcess.LONGEST)
        .until(
            () -> trees.followed(tree).flatMap(FollowedTrees.Followed::map),
            known -> known.filter(one -> !one.equals(map)).isPresent())
        .orElseThrow();
  }
}
