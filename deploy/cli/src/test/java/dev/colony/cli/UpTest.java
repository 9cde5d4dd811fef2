package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.server.ProcessState;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import dev.colony.cli.local.UpRecord.NodeRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that is up serves the commands, and one state directory has one user. */
class UpTest {

  private final Rig rig = new Rig();

  @TempDir private Path elsewhere;

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void itServesRunsTakesNodesInAndIsTakenDown() throws Exception {
    Finished nothing = rig.run("status");
    assertThat(nothing.status()).isEqualTo(1);
    assertThat(nothing.out()).contains("nothing is up");

    Finished up = rig.run("up");
    assertThat(up.status()).as(up.err()).isZero();
    assertThat(up.out()).contains("1 of 1 nodes are up");
    assertThat(up.err()).as("what is known of the version of Redis is doctor's to say").isEmpty();
    NodeRecord node = rig.node("node-1");
    assertThat(up.out())
        .contains("API " + node.api(), "dashboard " + node.api() + "/dashboard")
        .contains("management http://" + node.management());
    assertThat(node.process()).isPresent();

    Finished status = rig.run("status");
    assertThat(status.status()).isZero();
    assertThat(status.out()).contains("1 of 1 nodes are up").contains("pid " + node.pid());
    thePasswordStandsInOneFileOfItsOwner(up, status);

    assertThat(rig.run("board", "list").status()).isZero();
    JsonNode first = answered(ask());
    JsonNode second = answered(ask());
    assertThat(rig.nodes()).as("a run starts no nodes of its own").containsExactly(node);
    assertThat(node.process()).isPresent();
    assertThat(first.path("stats").path("nodes").asInt()).isEqualTo(1);
    assertThat(second.path("stats").path("usage").path("cachedTokens").asLong()).isPositive();
    assertThat(second.path("citations").path(0).path("file"))
        .isEqualTo(first.path("citations").path(0).path("file"));

    Rig.assertOneLine(rig.runHere("up"), 3, "a cluster is up", rig.state().toString());
    Rig.assertOneLine(
        rig.run("run", rig.tree().toString(), "--ask", Rig.QUESTION, "--nodes", "3"),
        2,
        "leave out --nodes");

    Finished more = rig.run("up", "--nodes", "2");
    assertThat(more.status()).as(more.err()).isZero();
    assertThat(more.out()).contains("2 of 2 nodes are up");
    assertThat(byName()).hasSize(2).containsEntry("node-1", node);
    JsonNode both = rig.run("status", "--json").json();
    assertThat(both.path("up").asBoolean()).isTrue();
    assertThat(both.path("nodes")).hasSize(2);
    for (JsonNode one : both.path("nodes")) {
      assertThat(one.path("up").asBoolean()).isTrue();
      assertThat(one.path("api").asText()).startsWith("http://127.0.0.1:");
      assertThat(Path.of(one.path("log").asText())).exists();
    }
    assertThat(answered(ask()).path("stats").path("nodes").asInt()).isEqualTo(2);
    Rig.assertOneLine(rig.runHere("up", "--nodes", "1"), 3, "a cluster of 2 nodes", "colony down");

    whatHasDiedIsStartedAgain(byName());
    thePortsAreKeptAndDownStopsWhatIsBeingStartedAgain(byName().get("node-1"));
    assertThat(rig.run("status").status()).isEqualTo(1);
    assertThat(rig.run("down").out()).contains("nothing is up");
  }

  private void thePasswordStandsInOneFileOfItsOwner(Finished up, Finished status)
      throws IOException {
    RedisServerProcess server = rig.redis().orElseThrow();
    String secret = secretOf(rig.state().resolve("redis"));
    assertThat(server.uri()).contains(secret);
    assertThat(status.out()).contains(server.address());
    assertThat(up.out() + up.err() + status.out()).doesNotContain(secret);
    for (long pid : new long[] {rig.node("node-1").pid(), server.pid()}) {
      assertThat(Files.readString(Path.of("/proc/" + pid + "/cmdline"))).doesNotContain(secret);
    }
    try (Stream<Path> files = Files.walk(rig.state())) {
      assertThat(
              files
                  .filter(file -> Files.isRegularFile(file) && tells(file, secret))
                  .map(file -> rig.state().relativize(file).toString()))
          .containsExactlyInAnyOrder("redis/redis.password", "redis/redis.conf");
    }
    for (Path folder : List.of(rig.state(), rig.state().resolve("redis"))) {
      assertThat(Files.getPosixFilePermissions(folder))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }
  }

  private void whatHasDiedIsStartedAgain(Map<String, NodeRecord> before) {
    Rig.kill(rig.supervisor().orElseThrow().pid());
    assertThat(rig.run("status").out()).contains("no supervisor runs");
    Rig.kill(before.get("node-2").pid());
    Rig.assertOneLine(rig.runHere("up", "--nodes", "1"), 3, "a cluster of 2 nodes", "1 have died");
    Finished again = rig.run("up");
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(again.out()).contains("2 of 2 nodes are up");
    assertThat(rig.supervisor()).isPresent();
    Map<String, NodeRecord> after = byName();
    assertThat(after).hasSize(2).containsEntry("node-1", before.get("node-1"));
    assertThat(after.get("node-2").pid()).isNotEqualTo(before.get("node-2").pid());
    assertThat(ports(after)).isEqualTo(ports(before));
    Rig.assertOneLine(rig.runHere("up", "--nodes", "2"), 3, "a cluster is up");
  }

  /** What is not ready yet has not said that it runs. */
  private void thePortsAreKeptAndDownStopsWhatIsBeingStartedAgain(NodeRecord node) {
    int redis = rig.redis().orElseThrow().port();
    Finished down = rig.run("down");
    assertThat(down.status()).as(down.err()).isZero();
    assertThat(down.out()).contains("stopped");
    rig.assertNothingRuns();

    Finished up = rig.run("up");
    assertThat(up.status()).as(up.err()).isZero();
    assertThat(up.err()).isEmpty();
    NodeRecord again = rig.node("node-1");
    assertThat(ports(Map.of("node-1", again))).isEqualTo(ports(Map.of("node-1", node)));
    assertThat(rig.redis().orElseThrow().port()).isEqualTo(redis);

    Rig.kill(again.pid());
    ProcessHandle supervisor = rig.supervisor().orElseThrow();
    await().atMost(ColonyProcess.LONGEST).until(() -> supervisor.children().count() == 1);
    ProcessHandle started = supervisor.children().findFirst().orElseThrow();
    down = rig.run("down");
    assertThat(down.status()).as(down.err()).isZero();
    assertThat(ProcessState.running(started.pid())).isFalse();
    rig.assertNothingRuns();
  }

  @Test
  @Tag("faults")
  void aNodeThatWasKilledIsStartedAgainOnItsPortsAndAllKeepThemOverDownAndUp() {
    rig.set("COLONY_UP_RESTARTS", "0");
    Finished up = rig.run("up", "--nodes", "3");
    assertThat(up.status()).as(up.err()).isZero();
    Map<String, NodeRecord> before = byName();
    Rig.kill(before.get("node-2").pid());

    Rig.assertOneLine(rig.run("up", "--nodes", "2"), 3, "a cluster of 3 nodes", "1 have died");
    Finished again = rig.run("up");
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(again.out()).contains("3 of 3 nodes are up");
    Map<String, NodeRecord> after = byName();
    assertThat(after.get("node-1")).isEqualTo(before.get("node-1"));
    assertThat(after.get("node-3")).isEqualTo(before.get("node-3"));
    assertThat(after.get("node-2").pid()).isNotEqualTo(before.get("node-2").pid());
    assertThat(ports(after)).isEqualTo(ports(before));
    Rig.assertOneLine(rig.run("up", "--nodes", "3"), 3, "a cluster is up");

    int redis = rig.redis().orElseThrow().port();
    assertThat(rig.run("down").status()).isZero();
    Finished oneMore = rig.run("up", "--nodes", "3");
    assertThat(oneMore.status()).isZero();
    assertThat(oneMore.err()).isEmpty();
    assertThat(ports(byName())).isEqualTo(ports(before));
    assertThat(rig.redis().orElseThrow().port()).isEqualTo(redis);
    assertThat(rig.run("down").status()).isZero();
  }

  @Test
  @Tag("faults")
  void aNodeThatDiesIsStartedAgainByItselfAsOftenAsMayBe() throws Exception {
    Path file = Files.writeString(elsewhere.resolve("up.conf"), "colony.up.restarts.most = 2");
    String[] command = {"up", "--config", file.toString()};
    Finished up = rig.run(command);
    assertThat(up.status()).as(up.err()).isZero();
    NodeRecord first = rig.node("node-1");
    for (int i = 0; i < 2; i++) {
      NodeRecord killed = rig.node("node-1");
      Rig.kill(killed.pid());
      assertThat(rig.run("status").out()).contains("nodes are up");
      await()
          .atMost(ColonyProcess.LONGEST)
          .until(() ->
              rig.nodes().stream()
                  .anyMatch(node -> node.pid() != killed.pid() && node.process().isPresent()));
    }
    assertThat(ports(byName())).isEqualTo(ports(Map.of("node-1", first)));
    assertThat(rig.run("status").out()).contains("1 of 1 nodes are up");

    Rig.kill(rig.node("node-1").pid());
    await().atMost(ColonyProcess.LONGEST).until(() -> rig.supervisor().isEmpty());
    assertThat(rig.run("status").out())
        .contains("nothing is up", "node-1  has ended too often: call colony up");
    assertThat(Files.readString(rig.state().resolve("logs/colony-supervisor.log")))
        .contains("node-1 has ended and is started again after 2.0 s, 2 of 2 times")
        .contains("node-1 has ended more than 2 times within 600 s and is not started again");

    assertThat(rig.run(command).status()).as("up starts it again").isZero();
    assertThat(rig.supervisor()).isPresent();
    assertThat(rig.run("down").status()).isZero();
    rig.assertNothingRuns();
  }

  private Map<String, NodeRecord> byName() {
    return rig.nodes().stream().collect(Collectors.toMap(NodeRecord::name, node -> node));
  }

  private static List<String> ports(Map<String, NodeRecord> nodes) {
    return nodes.values().stream()
        .map(node -> String.join(" ", node.name(), node.address(), node.management(), node.api()))
        .sorted()
        .toList();
  }

  @Test
  void thePasswordOfRedisIsSeenByNobody() throws Exception {
    RedisServerProcess server = RedisServerProcess.ensure(ServerSettings.in(elsewhere));
    try {
      String secret = secretOf(elsewhere);
      rig.useRedis(server.uri());
      Finished up = rig.run("up");
      assertThat(up.status()).as(up.err()).isZero();
      NodeRecord node = rig.node("node-1");
      String arguments = Files.readString(Path.of("/proc/" + node.pid() + "/cmdline"));
      assertThat(arguments).contains("node").doesNotContain(secret);
      assertThat(up.out()).contains(server.address()).doesNotContain(secret);
      assertThat(rig.state().resolve("logs")).isDirectoryNotContaining(file -> tells(file, secret));
      assertThat(rig.state().resolve("nodes"))
          .isDirectoryNotContaining(file -> tells(file, secret));
      assertThat(Files.getPosixFilePermissions(rig.state().resolve("up.json")))
          .containsOnly(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
      assertThat(rig.run("down").status()).isZero();
    } finally {
      server.stop();
    }
  }

  private static String secretOf(Path redis) throws IOException {
    return Files.readString(redis.resolve("redis.password")).strip();
  }

  private static boolean tells(Path file, String secret) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1).contains(secret);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Test
  void aFileThatWouldGiveAllNodesOnePortIsRefused() throws Exception {
    Path file = Files.writeString(elsewhere.resolve("all.conf"), "colony.node.port = 4711");
    Rig.assertOneLine(
        rig.runHere("up", "--config", file.toString()), 2, "sets colony.node.port", "leave it out");
    assertThat(rig.redis()).isEmpty();
  }

  @Test
  void aStateDirectoryThatARunUsesIsRefusedAndASecondRunWaitsForTheFirst() {
    Held held = rig.model().hold(Call::coordinators);
    ColonyProcess first = rig.askApart();
    held.await();
    for (List<String> command : List.of(List.of("up"), List.of("down"))) {
      Rig.assertOneLine(
          rig.runHere(command.toArray(String[]::new)),
          3,
          "in use by colony run (pid " + first.handle().pid() + ")");
    }
    RunningCommand second = rig.ask();
    second.awaitErr("colony: waiting for colony run (pid " + first.handle().pid() + ")");
    held.release();
    assertThat(Rig.essence(first.await())).contains(Rig.clue(1));
    assertThat(Rig.essence(second.await())).contains(Rig.clue(1));
    rig.assertNothingRuns();
  }

  @Test
  void aPortThatIsTakenIsRefused() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      Finished up = rig.run("up", "--nodes", "2", "--port", Integer.toString(port - 1));
      Rig.assertOneLine(up, 3, "port 127.0.0.1:" + port + " is taken");
    }
    rig.assertNothingRuns();
    assertThat(rig.run("status").out()).contains("nothing is up");
  }

  private Finished ask() {
    return rig.run("run", rig.tree().toString(), "--ask", Rig.QUESTION, "--survey", "--json");
  }

  private static JsonNode answered(Finished run) {
    assertThat(run.status()).as(run.err()).isZero();
    return run.json();
  }
}
