package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.server.fixture.StoredAgents;
import dev.colony.server.node.NodeConfig;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the purging commands delete, and what they refuse to. */
class PurgeCommandTest {

  private static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.policy"));

  private static AgentsRig rig;

  /** That no other test uses, as a tenant and as a colony of it. */
  private final String own = "p-" + UUID.randomUUID();

  @BeforeAll
  static void start() {
    rig = new AgentsRig();
  }

  @AfterAll
  static void close() {
    rig.close();
  }

  @Test
  void anAgentThatHasEndedIsGone() {
    AgentId gone = agent("gone", Optional.of(AgentState.STOPPED));
    ended(gone, "r1");
    AgentId stays = agent("stays", Optional.empty());
    assertThat(rig.ok("agents", "purge", gone.persistenceId(), "--dry-run").out())
        .startsWith("would purge " + gone + "\n");
    assertThat(keys(gone)).contains("result:run:r1");
    assertThat(rig.ok("agents", "purge", gone.persistenceId()).out())
        .startsWith("purged " + gone + "\n");
    assertThat(keys(gone)).isEmpty();
    assertThat(rig.ok("agents").out()).contains(stays.persistenceId()).doesNotContain("gone");
    assertThat(rig.refused("agents", "purge", gone.persistenceId()))
        .isEqualTo("colony: there is no agent " + gone + "\n");
    // Its name is free, and the next agent of that name begins anew.
    agent("gone", Optional.empty());
    assertThat(rig.ok("agents", "steps", gone.persistenceId()).out()).doesNotContain("r1");
  }

  @Test
  void whatIsAtWorkIsRefusedInOneLine() {
    AgentId idle = agent("idle", Optional.empty());
    assertThat(rig.refused("agents", "purge", idle.persistenceId()))
        .isEqualTo("colony: agent " + idle + " is INITIALIZED: stop it first\n");
    AgentId young = agent("young", Optional.of(AgentState.FAILED));
    assertThat(rig.refused("agents", "purge", young.persistenceId(), "--older-than", "1h"))
        .contains("is FAILED since", "not long enough");
  }

  @Test
  void allOfAColonyThatHaveEndedGoAndTheOthersStay() {
    AgentId stopped = agent("a1", Optional.of(AgentState.STOPPED));
    AgentId failed = agent("a2", Optional.of(AgentState.FAILED));
    AgentId idle = agent("a3", Optional.empty());
    JsonNode would = rig.ok("agents", "purge", "--colony", own, "--dry-run", "--json").json();
    assertThat(would.path("dryRun").asBoolean()).isTrue();
    assertThat(would.path("purged")).hasSize(2);
    JsonNode done = rig.ok("agents", "purge", "--tenant", own, "--json").json();
    assertThat(done.path("purged"))
        .extracting(JsonNode::asText)
        .containsExactly(stopped.toString(), failed.toString());
    assertThat(done.path("kept").path(0).path("reason").asText())
        .isEqualTo("agent " + idle + " is INITIALIZED: stop it first");
    assertThat(rig.bad("agents", "purge")).contains("name one AGENT, or give --tenant");
    assertThat(rig.bad("agents", "purge", idle.toString(), "--tenant", own))
        .contains("name one AGENT");
  }

  @Test
  void runsThatHaveEndedGoAndTheOthersStay() {
    AgentId agent = agent("a1", Optional.empty());
    ended(agent, "r1");
    ended(agent, "r2");
    Blackboard board = rig.blackboards().open(agent.scope().namespace("work"), "test");
    write(board, Write.of("request:run:open", StoredAgents.request(agent, "open").toJson()));
    assertThat(rig.ok("runs", "purge", "--colony", own, "--older-than", "1h").out())
        .isEqualTo("purged 0 runs\n");
    assertThat(rig.ok("runs", "purge", "--colony", own, "--dry-run").out())
        .isEqualTo("would purge 2 runs\n");
    assertThat(rig.ok("runs", "purge", "--colony", "other", "--json").json().path("purged").asInt())
        .isZero();
    assertThat(rig.ok("runs", "purge", "--tenant", own, "--json").json().path("purged").asInt())
        .isEqualTo(2);
    assertThat(keys(agent)).containsExactly("request:run:open");
    assertThat(rig.bad("runs", "purge")).contains("give --tenant, --colony or both");
  }

  private AgentId agent(String name, Optional<AgentState> ended) {
    AgentId id = new AgentId(own, own, name);
    rig.spawn(id, BLUEPRINT);
    rig.born(id, BLUEPRINT);
    Config config = NodeConfig.base(Optional.empty());
    ChildRegistry nursery =
        new ChildRegistry(
            rig.blackboards(),
            HomeResolver.byHash(1),
            Settings.read(ChildrenSettings.class, config));
    ended.ifPresent(
        state -> nursery.announce(id, state, Optional.of("over")).toCompletableFuture().join());
    return id;
  }

  private void ended(AgentId agent, String run) {
    Blackboard board = rig.blackboards().open(agent.scope().namespace("work"), "test");
    AgentRun result =
        AgentRun.completed(new RunId(run), StoredAgents.request(agent, run).input(), RunStats.NONE);
    write(board, Write.of("request:run:" + run, StoredAgents.request(agent, run).toJson()));
    write(board, Write.value("event:run:" + run + ":note", "half way"));
    write(board, Write.of("result:run:" + run, result.toJson()));
  }

  private static void write(Blackboard board, Write write) {
    board.write(write).toCompletableFuture().join();
  }

  private List<String> keys(AgentId agent) {
    return rig
        .blackboards()
        .open(agent.scope().namespace("work"), "test")
        .query(Query.all())
        .toCompletableFuture()
        .join()
        .entries()
        .stream()
        .map(entry -> entry.key())
        .toList();
  }
}
