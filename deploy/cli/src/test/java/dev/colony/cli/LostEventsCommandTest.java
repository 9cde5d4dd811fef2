package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.server.fixture.StoredAgents;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an operator sees of agents whose events the store has lost, and decides about them. */
class LostEventsCommandTest {

  private final AgentsRig rig = new AgentsRig();
  private final AgentId id = new AgentId("acme", "lab", "payer");

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void anAgentWhoseEventsAreLostIsShownAndDecidedAbout() {
    assertThat(rig.ok("lost-events", "list").out()).isEqualTo("no events are lost\n");
    lose();
    assertThat(rig.ok("lost-events", "list").out()).isEqualTo("acme/lab/payer  events 4 to 7\n");
    assertThat(rig.ok("lost-events", "list", "--tenant", "acm").out())
        .isEqualTo("no events are lost\n");
    JsonNode listed = rig.ok("lost-events", "list", "--json").json().path("lostEvents").path(0);
    assertThat(listed.path("stored").asLong()).isEqualTo(3);
    assertThat(listed.path("acknowledged").asLong()).isEqualTo(7);
    assertThat(rig.ok("agents").out())
        .contains("SUSPENDED")
        .contains("the store has lost its events 4 to 7");
    JsonNode agent = rig.ok("agents", "show", id.persistenceId(), "--json").json();
    assertThat(agent.path("state").asText()).isEqualTo("SUSPENDED");
    assertThat(agent.path("cause").asText()).isEqualTo("STORE");
    assertThat(agent.path("lost").path("acknowledged").asLong()).isEqualTo(7);
    assertThat(rig.ok("agents", "show", id.persistenceId()).out())
        .contains("colony lost-events continue, close or restore acme/lab/payer");

    assertThat(rig.refused("lost-events", "restore", id.persistenceId()))
        .isEqualTo(
            "colony: no node that is up remembers all that the store has lost of acme/lab/payer\n");
    assertThat(rig.ok("lost-events", "close", id.persistenceId()).out())
        .isEqualTo("closed acme/lab/payer  events 4 to 7\n");
    assertThat(rig.ok("lost-events", "list").out()).isEqualTo("no events are lost\n");
    assertThat(rig.ok("agents").out()).contains("IDLE").doesNotContain("lost");
  }

  @Test
  void allAreDecidedAboutAtOnce() {
    assertThat(rig.ok("lost-events", "continue", "--all").out()).isEmpty();
    lose();
    AgentId other = new AgentId("acme", "lab", "other");
    rig.spawn(other, AgentBlueprint.of(Blueprint.of("test.policy")));
    rig.born(other, AgentBlueprint.of(Blueprint.of("test.policy")));
    StoredAgents.lose(rig.redisUri(), other, 9);
    assertThat(rig.refused("lost-events", "restore", "--all")).hasLineCount(2);
    assertThat(rig.ok("lost-events", "close", "--all").out())
        .isEqualTo("closed acme/lab/other  events 4 to 9\nclosed acme/lab/payer  events 4 to 7\n");
    assertThat(rig.ok("lost-events", "list").out()).isEqualTo("no events are lost\n");
    assertThat(rig.bad("lost-events", "close", "--all", "acme/lab/payer"))
        .contains("acme/lab/payer");
  }

  @Test
  void whatIsNotLostCannotBeDecidedAbout() {
    lose();
    JsonNode done = rig.ok("lost-events", "continue", id.persistenceId(), "--json").json();
    assertThat(done.path("continued").path(0).path("agentId").asText()).isEqualTo("acme/lab/payer");
    for (String decision : new String[] {"continue", "close", "restore"}) {
      assertThat(rig.refused("lost-events", decision, id.persistenceId()))
          .isEqualTo("colony: the store has lost no events of acme/lab/payer\n");
    }
    assertThat(rig.bad("lost-events", "close", "payer")).contains("AGENT");
  }

  @Test
  void theStatusOfAStoreTellsOfItsRollbackAndOfWhatWaits() {
    assertThat(rig.ok("status").out())
        .matches(
            "inbox: 0 requests and signals wait · 0 dead letters\n"
                + "clocks: this machine [+-]0\\.[0-9] s, Redis [+-]0\\.[0-9] s from the cluster"
                + " time\n");
    lose();
    StoredAgents.rollBack(rig.redisUri(), Optional.of(Instant.parse("2026-01-02T03:04:05Z")));
    assertThat(rig.ok("status").out())
        .contains("what it acknowledged since 2026-01-02T03:04:05Z may be gone")
        .contains("1 agent waits for a decision about lost events: colony lost-events list");
  }

  private void lose() {
    AgentBlueprint blueprint = AgentBlueprint.of(Blueprint.of("test.policy"));
    rig.spawn(id, blueprint);
    rig.born(id, blueprint);
    StoredAgents.lose(rig.redisUri(), id, 7);
  }
}
