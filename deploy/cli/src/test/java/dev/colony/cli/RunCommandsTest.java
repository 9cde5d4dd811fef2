package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.client.AgentSignal;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.server.fixture.StoredAgents;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the commands do that cancel a run of an agent, or follow it. */
class RunCommandsTest extends ToldAgent {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  @Test
  void aRunIsCancelledThatIsUnderWay() {
    Rig.assertOneLine(rig.colony("cancel", id.toString()), 1, id + " has no run under way");
    Rig.assertOneLine(rig.colony("cancel", id.toString(), "r9"), 1, id + " has no run r9");
    request("r1");
    rig.journal(
        id, new AgentEvent.RunAccepted(StoredAgents.request(id, "r1"), 1, StoredAgents.START));
    Thread taking =
        taking(new AgentEvent.CancelRequested(new RunId("r1"), "late", 1, StoredAgents.START));
    assertThat(done("cancel", id.toString(), "--reason", "late").out())
        .isEqualTo("run r1 of " + id + " is cancelled\n");
    join(taking);
    assertThat(signals()).containsExactly(AgentSignal.cancel(id, "work", new RunId("r1"), "late"));
  }

  @Test
  void aRunThatEndsBeforeItIsCancelledHasEnded() {
    rig.journal(
        id, new AgentEvent.RunAccepted(StoredAgents.request(id, "r1"), 1, StoredAgents.START));
    notTaken("RUNNING", "cancel", id.toString());
    Thread ending =
        Thread.startVirtualThread(() -> {
          await().atMost(ColonyProcess.LONGEST).until(() -> signals().size() > 1);
          complete("r1");
        });
    assertThat(done("cancel", id.toString()).out()).contains("run r1 of " + id);
    join(ending);
  }

  @Test
  void aRunThatHasEndedIsNotCancelled() {
    request("r1");
    complete("r1");
    Rig.assertOneLine(
        rig.colony("cancel", id.toString(), "r1"), 1, "run r1 has ended: it is COMPLETED");
  }

  @Test
  void aRunIsFollowedToItsEndAndAgainFromAnyPlace() {
    request("r1");
    write(PROTOCOL.eventKey("r1", "found"), TextNode.valueOf("one\u001b[2J"));
    write(PROTOCOL.eventKey("r1", "found"), TextNode.valueOf("two"));
    complete("r1");
    List<String> lines = done("attach", id.toString(), "r1").out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).endsWith("  found  \"one\\u001B[2J\"");
    assertThat(lines.get(2)).endsWith("  completed  \"done\"");
    List<JsonNode> events =
        done("attach", id.toString(), "r1", "--json")
            .out()
            .lines()
            .map(line -> new Finished(0, line, "").json())
            .toList();
    assertThat(events)
        .extracting(event -> event.path("end").asBoolean())
        .containsExactly(false, false, true);
    Finished rest =
        done(
            "attach",
            id.toString(),
            "r1",
            "--namespace",
            "work",
            "--after",
            events.get(1).path("token").asText());
    assertThat(rest.out()).isEqualTo(lines.get(2) + "\n");
    request("r3");
    write(
        PROTOCOL.resultKey("r3"), AgentRun.failed(new RunId("r3"), "lost", RunStats.NONE).toJson());
    assertThat(rig.colony("attach", id.toString(), "r3").status()).isEqualTo(1);
    Rig.assertOneLine(rig.colony("attach", id.toString(), "r2"), 1, id + " has no run r2");
    Rig.assertOneLine(
        rig.colony("attach", id.toString(), "r2", "--namespace", "work"), 1, "there is no run r2");
    Rig.assertOneLine(
        rig.colony("attach", id.toString(), "r1", "--after", "x"), 2, "no token of the events");
  }

  @Test
  void runsAreListedWithWhatBecameOfThem() {
    request("r1");
    complete("r1");
    request("r2");
    write(
        PROTOCOL.resultKey("r2"),
        AgentRun.failed(new RunId("r2"), "no room", RunStats.NONE).toJson());
    request("r3");
    rig.journal(
        id, new AgentEvent.RunAccepted(StoredAgents.request(id, "r3"), 1, StoredAgents.START));
    rig.journal(
        id,
        suspended(
            SuspensionCause.APPROVAL, Optional.of(new ResumptionCondition.Approved("deploy"))));
    JsonNode runs =
        done("runs", "--colony", "told", "--limit", "1000", "--json").json().path("runs");
    assertThat(runs.valueStream().filter(run -> run.path("agentId").asText().equals(id.toString())))
        .extracting(
            run -> run.path("runId").asText(),
            run -> run.path("status").asText(),
            run -> run.path("why").asText())
        .containsExactlyInAnyOrder(
            tuple("r1", "COMPLETED", ""),
            tuple("r2", "FAILED", "no room"),
            tuple("r3", "WAITING", "approval of \"deploy\": over night"));
    String table = done("runs", "--colony", "told", "--limit", "1000").out();
    assertThat(table).startsWith("run  ").contains(id.toString(), "  approval of \"deploy\"");
    assertThat(done("runs", "--colony", "none").out()).isEqualTo("no runs\n");
    Rig.assertOneLine(rig.colony("runs", "--limit", "0"), 2, "--limit is 0");
  }

  @Test
  void runsThatAgentsHaveAskedForAreListedWithAllOnly() {
    request("r1");
    write(
        PROTOCOL.requestKey(id.name(), "r1.0"),
        StoredAgents.request(id, "r1.0").toJson().put("requestedBy", id.persistenceId()));
    assertThat(listed()).containsExactly("r1");
    assertThat(listed("--all")).containsExactlyInAnyOrder("r1", "r1.0");
  }

  private List<String> listed(String... options) {
    List<String> command =
        new ArrayList<>(List.of("runs", "--colony", "told", "--limit", "1000", "--json"));
    command.addAll(List.of(options));
    return done(command.toArray(String[]::new))
        .json()
        .path("runs")
        .valueStream()
        .filter(run -> run.path("agentId").asText().equals(id.toString()))
        .map(run -> run.path("runId").asText())
        .toList();
  }

  private void request(String run) {
    write(PROTOCOL.requestKey(id.name(), run), StoredAgents.request(id, run).toJson());
  }

  private void complete(String run) {
    AgentRun ended =
        AgentRun.completed(
            new RunId(run), JsonNodeFactory.instance.textNode("done"), RunStats.NONE);
    write(PROTOCOL.resultKey(run), ended.toJson());
  }

  private void write(String key, JsonNode value) {
    Blackboard board = rig.blackboards().open(id.scope().namespace("work"), id.persistenceId());
    board.write(Write.of(key, value)).toCompletableFuture().join();
  }
}
