package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.client.ColonyClient;
import dev.colony.server.fixture.DeadLetterRig;
import dev.colony.server.fixture.DeadLetterRig.Dead;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the inbox commands show, send and drop. */
class InboxCommandTest {

  private static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.policy"));

  private static AgentsRig rig;
  private static ColonyClient client;
  private static DeadLetterRig letters;

  /** That no other test uses. */
  private final String tenant = "t-" + UUID.randomUUID();

  @BeforeAll
  static void start() {
    rig = new AgentsRig();
    client = ColonyClient.connect(rig.redisUri());
    letters = new DeadLetterRig(client.blackboards(), client.colony());
  }

  @AfterAll
  static void close() {
    client.close();
    rig.close();
  }

  @Test
  void lettersAreListedAndShownAndThoseOfOtherTenantsAreNotThere() {
    assertThat(rig.ok("inbox", "list", "--tenant", tenant).out()).isEqualTo("no dead letters\n");
    Dead dead = letters.run(agent(tenant));
    Dead foreign = letters.run(agent(tenant + "-rival"));
    assertThat(rig.ok("inbox", "list").out()).contains(dead.name(), foreign.name());
    assertThat(rig.ok("inbox", "list", "--tenant", tenant).out())
        .contains(dead.name(), tenant + "/lab/a1", DeadLetterRig.REASON)
        .doesNotContain(foreign.name());
    JsonNode json = rig.ok("inbox", "list", "--tenant", tenant, "--json").json();
    assertThat(json.path("deadLetters").path(0).path("letter").asText()).isEqualTo(dead.name());
    assertThat(rig.ok("inbox", "list", "--limit", "1").out())
        .contains("there may be more: --after ");
    assertThat(rig.ok("inbox", "show", dead.name()).out()).contains("\"do it\"", "1 time from");
    assertThat(rig.ok("inbox", "show", dead.name(), "--json").json().path("request").path("input"))
        .hasToString("\"do it\"");
    assertThat(rig.refused("inbox", "show", foreign.name(), "--tenant", tenant))
        .isEqualTo("colony: there is no dead letter " + foreign.name() + "\n");
    assertThat(rig.bad("inbox", "show", "first")).contains("a dead letter is named like");
    assertThat(rig.bad("inbox", "list", "--after", "first"))
        .contains("a dead letter is named like");
  }

  @Test
  void whatIsSentIsInTheInboxAgainAndWhatIsDroppedIsGone() {
    AgentId agent = agent(tenant);
    Dead first = letters.run(agent);
    Dead second = letters.run(agent);
    assertThat(rig.refused("inbox", "send", first.name(), "--tenant", "rival"))
        .contains("there is no dead letter");
    assertThat(rig.ok("inbox", "send", first.name()).out())
        .isEqualTo("sent " + first.name() + " for " + tenant + "/lab/a1\n");
    assertThat(letters.waiting(agent))
        .singleElement()
        .satisfies(request -> assertThat(request.key()).endsWith(first.run().value()));
    assertThat(rig.refused("inbox", "send", first.name())).contains("there is no dead letter");
    assertThat(rig.ok("inbox", "drop", second.name(), "--json").json().path("dropped"))
        .hasToString("[\"" + second.name() + "\"]");
    assertThat(rig.ok("inbox", "list", "--tenant", tenant).out()).isEqualTo("no dead letters\n");
    assertThat(letters.waiting(agent)).hasSize(1);
  }

  @Test
  void aSendThatWasCutOffIsRepeatedAndAsksForTheRunOnce() {
    AgentId agent = agent(tenant);
    Dead dead = letters.run(agent);
    letters.sendHalf(dead.name());
    await().until(() -> letters.waiting(agent).size() == 1);
    assertThat(rig.ok("inbox", "list").out()).contains(dead.name());
    assertThat(rig.ok("inbox", "send", dead.name()).out())
        .isEqualTo("sent " + dead.name() + " for " + tenant + "/lab/a1\n");
    assertThat(letters.waiting(agent)).hasSize(1);
    assertThat(rig.ok("inbox", "list", "--tenant", tenant).out()).isEqualTo("no dead letters\n");
  }

  private AgentId agent(String of) {
    AgentId id = new AgentId(of, "lab", "a1");
    rig.spawn(id, BLUEPRINT);
    return id;
  }
}
