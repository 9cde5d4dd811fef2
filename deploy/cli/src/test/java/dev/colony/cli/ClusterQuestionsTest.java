package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a cluster that is up knows of the sources that it was asked about. */
class ClusterQuestionsTest {

  private static final String FOLLOWED = "as the cluster follows them";

  private static Rig rig;

  @TempDir private Path tree;
  @TempDir private Path elsewhere;

  @BeforeAll
  static void start() throws Exception {
    rig = new Rig();
    Files.writeString(
        rig.config(), "colony.vcm.watch.trees.pause = 50 ms\n", StandardOpenOption.APPEND);
    rig.up();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void write() throws Exception {
    for (int i = 1; i <= Rig.FILES; i++) {
      Files.copy(rig.tree().resolve(Rig.file(i)), tree.resolve(Rig.file(i)));
    }
  }

  private Finished done(String... line) {
    Finished asked =
        rig.run(Rig.with(List.of(line), List.of("--json", "--config", rig.config().toString())));
    assertThat(asked.status()).as(asked.err()).isZero();
    return asked;
  }

  private Finished ask() {
    return survey(tree.toString());
  }

  private Finished survey(String source) {
    return done("run", source, "--ask", Rig.QUESTION, "--survey");
  }

  @Test
  void aChangeIsInTheNextAnswerAndNothingIsLookedThrough() throws Exception {
    // Pages are known by their text: another test's tree of the same text would be this one's map.
    Path own = tree.resolve(Rig.file(2));
    Files.writeString(own, Files.readString(own).replace("clue 2", "clue 8"));
    assertThat(ask().err()).as("nothing is followed yet").doesNotContain(FOLLOWED);

    Config config = CommandConfig.base(Optional.of(rig.config()));
    MappedTree mapped = MappedTree.of(tree, config).orElseThrow();
    try (BlackboardClient client =
        BlackboardClient.connect(rig.redis().orElseThrow().uri(), config, said -> {})) {
      FollowedTrees trees = new FollowedTrees(client.blackboards(), Node.PAGES_TENANT, "test");
      String first = awaitOther("", trees, mapped);
      assertThat(ask().err()).contains(FOLLOWED);

      Path changed = tree.resolve(Rig.file(1));
      Files.writeString(changed, Files.readString(changed).replace("clue 1", "clue 7"));
      awaitOther(first, trees, mapped);
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

  @Test
  void aMapIsAskedByItsIdAndListedAndASourceIsMappedByWhatHasChanged() throws Exception {
    Instant old = Instant.now().minus(Duration.ofMinutes(1));
    for (int i = 1; i <= Rig.FILES; i++) {
      Files.setLastModifiedTime(tree.resolve(Rig.file(i)), FileTime.from(old));
    }
    JsonNode first = ask().json();

    assertThat(maps()).hasSize(1);
    JsonNode map = maps().getFirst();
    assertThat(map.path("files").asInt()).isEqualTo(Rig.FILES);

    Finished byId = rig.run("ask", map.path("id").asText(), Rig.QUESTION, "--json");
    assertThat(byId.status()).as(byId.err()).isZero();
    assertThat(byId.json().path("hits")).isNotEmpty();
    assertThat(survey(map.path("id").asText()).json().path("answer"))
        .isEqualTo(first.path("answer"));
    Rig.assertOneLine(
        rig.run("ask", "a".repeat(26), Rig.QUESTION), 2, "no page map " + "a".repeat(26));

    // A file that cannot be told to have changed is not read: its page is as it was.
    Path unseen = tree.resolve(Rig.file(1));
    String text = Files.readString(unseen);
    Files.writeString(unseen, text.replace("clue 1", "clue 7"));
    Files.setLastModifiedTime(unseen, FileTime.from(old));
    Finished again = survey(tree.toString());
    assertThat(again.json().path("answer").asText())
        .isEqualTo(first.path("answer").asText())
        .contains("clue 1");
    Files.setLastModifiedTime(unseen, FileTime.from(old.plusSeconds(5)));
    Finished changed = survey(tree.toString());
    assertThat(changed.json().path("answer").asText()).contains("clue 7");
    assertThat(maps()).hasSize(2);
    assertThat(rig.run("pages", "maps").out().lines())
        .filteredOn(line -> line.contains(tree.toString()))
        .hasSize(2);
  }

  /** The maps of this tree, by the command. */
  private List<JsonNode> maps() {
    return StreamSupport.stream(
            rig.run("pages", "maps", "--json").json().path("maps").spliterator(), false)
        .filter(map -> map.path("source").asText().equals(tree.toString()))
        .toList();
  }

  @Test
  void thePricesAreThoseOfTheCluster() throws Exception {
    Path priced =
        Files.writeString(
            elsewhere.resolve("priced.conf"),
            "colony.inference.budget.usual-model.prompt = 1000\n");
    Rig.assertOneLine(
        rig.run(
            "run",
            tree.toString(),
            "--ask",
            Rig.QUESTION,
            "--config",
            priced.toString(),
            "--budget",
            "0.2usd"),
        2,
        "up in " + rig.state() + " has no price",
        "--config of colony up");
  }
}
