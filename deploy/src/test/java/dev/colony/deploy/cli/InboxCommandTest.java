package dev.colony.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.client.ColonyClient;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.cli.ColonyProcess.Finished;
import dev.colony.deploy.cli.DeadLetterRig.Dead;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the inbox commands show, send and drop. */
class InboxCommandTest {

  private static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.policy"));

  private final AgentsRig rig = new AgentsRig();
  private final ColonyClient client = ColonyClient.connect(rig.redisUri());
  private final DeadLetterRig letters = new DeadLetterRig(client.blackboards(), client.colony());

  @AfterEach
  void close() {
    client.close();
    rig.close();
  }

  @Test
  void lettersAreListedAndShownAndThoseOfOtherTenantsAreNotThere() {
    assertThat(ok("inbox", "list").out()).isEqualTo("no dead letters\n");
    Dead dead = letters.run(agent("acme"));
    Dead foreign = letters.run(agent("rival"));
    assertThat(ok("inbox", "list").out()).contains(dead.name(), foreign.name());
    assertThat(ok("inbox", "list", "--tenant", "acme").out())
        .contains(dead.name(), "acme/lab/a1", DeadLetterRig.REASON)
        .doesNotContain(foreign.name());
    JsonNode json = ok("inbox", "list", "--tenant", "acme", "--json").json();
    assertThat(json.path("deadLetters").path(0).path("letter").asText()).isEqualTo(dead.name());
    assertThat(ok("inbox", "list", "--limit", "1").out()).contains("there may be more: --after ");
    assertThat(ok("inbox", "show", dead.name()).out()).contains("\"do it\"", "1 time from");
    assertThat(ok("inbox", "show", dead.name(), "--json").json().path("request").path("input"))
        .hasToString("\"do it\"");
    assertThat(refused("inbox", "show", foreign.name(), "--tenant", "acme"))
        .isEqualTo("colony: there is no dead letter " + foreign.name() + "\n");
    assertThat(bad("inbox", "show", "first")).contains("a dead letter is named like");
    assertThat(bad("inbox", "list", "--after", "first")).contains("a dead letter is named like");
  }

  @Test
  void whatIsSentIsInTheInboxAgainAndWhatIsDroppedIsGone() {
    AgentId agent = agent("acme");
    Dead first = letters.run(agent);
    Dead second = letters.run(agent);
    assertThat(refused("inbox", "send", first.name(), "--tenant", "rival"))
        .contains("there is no dead letter");
    assertThat(ok("inbox", "send", first.name()).out())
        .isEqualTo("sent " + first.name() + " for acme/lab/a1\n");
    assertThat(letters.waiting(agent))
        .singleElement()
        .satisfies(request -> assertThat(request.key()).endsWith(first.run().value()));
    assertThat(refused("inbox", "send", first.name())).contains("there is no dead letter");
    assertThat(ok("inbox", "drop", second.name(), "--json").json().path("dropped"))
        .hasToString("[\"" + second.name() + "\"]");
    assertThat(ok("inbox", "list").out()).isEqualTo("no dead letters\n");
    assertThat(letters.waiting(agent)).hasSize(1);
  }

  private AgentId agent(String tenant) {
    AgentId id = new AgentId(tenant, "lab", "a1");
    rig.spawn(id, BLUEPRINT);
    return id;
  }

  private Finished ok(String... arguments) {
    Finished run = rig.colony(arguments);
    assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.OK.status());
    return run;
  }

  private String refused(String... arguments) {
    Finished run = rig.colony(arguments);
    assertThat(run.status()).isEqualTo(ExitCode.UNSUCCESSFUL.status());
    return run.err();
  }

  private String bad(String... arguments) {
    Finished run = rig.colony(arguments);
    assertThat(run.status()).isEqualTo(ExitCode.BAD_INPUT.status());
    return run.err();
  }
}
