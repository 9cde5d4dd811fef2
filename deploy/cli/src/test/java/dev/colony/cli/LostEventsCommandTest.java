package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.server.fixture.StoredAgents;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What an operator sees of agents whose events the store has lost, and decides about them. */
class LostEventsCommandTest {

  private static AgentsRig rig;

  /** That no other test uses. */
  private final String colony = "c-" + UUID.randomUUID();

  private final AgentId id = new AgentId("acme", colony, "payer");

  @BeforeAll
  static void start() {
    rig = new AgentsRig();
  }

  @AfterAll
  static void close() {
    rig.close();
  }

  @AfterEach
  void decideAboutWhatIsLeft() {
    rig.ok("lost-events", "continue", "--all");
  }

  @Test
  void anAgentWhoseEventsAreLostIsShownAndDecidedAbout() {
    assertThat(rig.ok("lost-events", "list").out()).isEqualTo("no events are lost\n");
    lose();
    assertThat(rig.ok("lost-events", "list").out()).isEqualTo(id + "  events 4 to 7\n");
    assertThat(rig.ok("lost-events", "list", "--tenant", "acm").out())
        .isEqualTo("no events are lost\n");
    JsonNode listed = rig.ok("lost-events", "list", "--json").json().path("lostEvents").path(0);
    assertThat(listed.path("stored").asLong()).isEqualTo(3);
    assertThat(listed.path("acknowledged").asLong()).isEqualTo(7);
    assertThat(rig.ok("agents", "--colony", colony).out())
        .contains("SUSPENDED")
        .contains("the store has lost its events 4 to 7");
    JsonNode agent = rig.ok("agents", "show", id.persistenceId(), "--json").json();
    assertThat(agent.path("state").asText()).isEqualTo("SUSPENDED");
    assertThat(agent.path("cause").asText()).isEqualTo("STORE");
    assertThat(agent.path("lost").path("acknowledged").asLong()).isEqualTo(7);
    assertThat(rig.ok("agents", "show", id.persistenceId()).out())
        .contains("colony lost-events continue, close or restore " + id);

    assertThat(rig.refused("lost-events", "restore", id.persistenceId()))
        .isEqualTo(
            "colony: no node that is up remembers all that the store has lost of " + id + "\n");
    assertThat(rig.ok("lost-events", "close", id.persistenceId()).out())
        .isEqualTo("closed " + id + "  events 4 to 7\n");
    assertThat(rig.ok("lost-events", "list").out()).isEqualTo("no events are lost\n");
    assertThat(rig.ok("agents", "--colony", colony).out()).contains("IDLE").doesNotContain("lost");
  }

  @Test
  void allAreDecidedAboutAtOnce() {
    assertThat(rig.ok("lost-events", "continue", "--all").out()).isEmpty();
    lose();
    AgentId other = new AgentId("acme", colony, "other");
    rig.spawn(other, AgentBlueprint.of(Blueprint.of("test.policy")));
    rig.born(other, AgentBlueprint.of(Blueprint.of("test.policy")));
    StoredAgents.lose(rig.redisUri(), other, 9);
    assertThat(rig.refused("lost-events", "restore", "--all")).hasLineCount(2);
    assertThat(rig.ok("lost-events", "close", "--all").out())
        .isEqualTo("closed %s  events 4 to 9\nclosed %s  events 4 to 7\n".formatted(other, id));
    assertThat(rig.ok("lost-events", "list").out()).isEqualTo("no events are lost\n");
    assertThat(rig.bad("lost-events", "close", "--all", id.toString())).contains(id.toString());
  }

  @Test
  void whatIsNotLostCannotBeDecidedAbout() {
    lose();
    JsonNode done = rig.ok("lost-events", "continue", id.persistenceId(), "--json").json();
    assertThat(done.path("continued").path(0).path("agentId").asText()).isEqualTo(id.toString());
    for (String decision : new String[] {"continue", "close", "restore"}) {
      assertThat(rig.refused("lost-events", decision, id.persistenceId()))
          .isEqualTo("colony: the store has lost no events of " + id + "\n");
    }
    assertThat(rig.bad("lost-events", "close", "payer")).contains("AGENT");
  }

  @Test
  void theStatusOfAStoreTellsOfItsRollbackAndOfWhatWaits() {
    // Its inbox is empty at first.
    try (AgentsRig fresh = new AgentsRig()) {
      assertThat(fresh.ok("status").out())
          .matches(
              "inbox: 0 requests and signals wait · 0 dead letters\n"
                  + "clocks: this machine [+-]0\\.[0-9] s, Redis [+-]0\\.[0-9] s from the cluster"
                  + " time\n");
      lose(fresh);
      StoredAgents.rollBack(fresh.redisUri(), Optional.of(Instant.parse("2026-01-02T03:04:05Z")));
      assertThat(fresh.ok("status").out())
          .contains("what it acknowledged since 2026-01-02T03:04:05Z may be gone")
          .contains("1 agent waits for a decision about lost events: colony lost-events list");
    }
  }

  private void lose() {
    lose(rig);
  }

  private void lose(AgentsRig on) {
    AgentBlueprint blueprint = AgentBlueprint.of(Blueprint.of("test.policy"));
    on.spawn(id, blueprint);
    on.born(id, blueprint);
    StoredAgents.lose(on.redisUri(), id, 7);
  }
}
