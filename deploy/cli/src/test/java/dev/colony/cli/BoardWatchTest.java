package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.cli.ColonyProcess.Finished;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events are printed as they happen, and a durable watch goes on where it ended. */
class BoardWatchTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final BoardRig rig = new BoardRig();
  private final String scope = BoardRig.scope().path();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void theEventsThatAreWantedAndNoMore() {
    put("before", "0");
    RunningCommand watching =
        rig.watch(
            scope,
            "--keys",
            "finding:*",
            "--keys",
            "note",
            "--type",
            "written",
            "--tag",
            "x",
            "--writer",
            "cli",
            "--count",
            "3",
            "--json");
    put("finding:1", "1", "--tag", "x");
    put("finding:2", "2");
    put("other", "3", "--tag", "x");
    put("note", "4", "--tag", "x", "--writer", "lead");
    put("finding:1", "5", "--tag", "x");
    assertThat(rig.board("delete", scope, "finding:1").status()).isZero();
    put("note", "6", "--tag", "x", "--tag", "y");
    put("note", "7", "--tag", "x");

    Finished watched = watching.await();
    assertThat(watched.status()).as(watched.err()).isZero();
    assertThat(events(watched))
        .extracting(event -> event.path("value").asInt())
        .containsExactly(1, 5, 6);
    assertThat(watched.err().lines()).containsExactly("colony: watching; Ctrl-C ends it");
  }

  @Test
  void fromTheBeginningAsLinesForPeople() {
    put("a", "\"first\"");
    put("a", "\"second\"", "--tag", "x");
    Finished watched = rig.watch(scope, "--from", "beginning", "--count", "2").await();
    assertThat(watched.status()).as(watched.err()).isZero();
    List<String> lines = watched.out().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst()).contains("written  a  v1 by cli  \"first\"");
    assertThat(lines.getLast()).contains("written  a  v2 by cli  #x  \"second\"");

    String position = lines.getFirst().substring(0, lines.getFirst().indexOf(' '));
    Finished rest = rig.watch(scope, "--from", position, "--count", "1").await();
    assertThat(rest.out().strip()).isEqualTo(lines.getLast());
  }

  @Test
  void aDurableWatchGoesOnWhereItEnded() {
    for (int i = 1; i <= 5; i++) {
      put("k", "" + i);
    }
    String[] line = {scope, "--durable", "desk", "--from", "beginning", "--count", "2", "--json"};
    assertThat(values(rig.watch(line).await())).containsExactly(1, 2);
    assertThat(values(rig.watch(line).await())).containsExactly(3, 4);

    JsonNode scopes = rig.board("list", "--json").json().path("scopes");
    assertThat(scopes.path(0).path("subscriptions").path("desk").asText()).endsWith("-4");
  }

  @Test
  void ctrlCEndsItAndWhatADurableOneHasPrintedIsAcknowledged() {
    ColonyProcess watching =
        rig.watchApart(scope, "--durable", "desk", "--from", "beginning", "--json");
    put("k", "1");
    put("k", "2");
    await().atMost(ColonyProcess.LONGEST).until(() -> watching.out().lines().count() == 2);

    watching.interrupt();
    Finished interrupted = watching.await();
    assertThat(interrupted.status()).isEqualTo(130);
    assertThat(values(interrupted)).containsExactly(1, 2);
    assertThat(interrupted.err()).doesNotContain("\tat ");

    put("k", "3");
    Finished next = rig.watch(scope, "--durable", "desk", "--count", "1", "--json").await();
    assertThat(values(next)).containsExactly(3);
  }

  @Test
  void anOutageOfRedisIsWaitedOut() {
    RunningCommand watching = rig.watch(scope, "--count", "2", "--json");
    put("k", "1");
    await().atMost(ColonyProcess.LONGEST).until(() -> watching.out().lines().count() == 1);

    Rig.kill(rig.redis().pid());
    watching.awaitErr("does not answer; waiting for it");
    rig.restartRedis();
    put("k", "2");

    Finished watched = watching.await();
    assertThat(watched.status()).as(watched.err()).isZero();
    assertThat(values(watched)).containsExactly(1, 2);
  }

  private void put(String key, String value, String... more) {
    List<String> line = new ArrayList<>(List.of("put", scope, key, value));
    line.addAll(List.of(more));
    Finished written = rig.board(line.toArray(String[]::new));
    assertThat(written.status()).as(written.err()).isZero();
  }

  private static List<Integer> values(Finished watched) {
    assertThat(watched.status()).as(watched.err()).isIn(0, 130);
    return events(watched).stream().map(event -> event.path("value").asInt()).toList();
  }

  private static List<JsonNode> events(Finished watched) {
    return watched.out().lines().map(BoardWatchTest::json).toList();
  }

  private static JsonNode json(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
