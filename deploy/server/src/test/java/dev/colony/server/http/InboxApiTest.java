package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.server.fixture.DeadLetterRig;
import dev.colony.server.fixture.DeadLetterRig.Dead;
import dev.colony.server.http.ApiClient.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Dead letters over HTTP, on Redis. */
class InboxApiTest extends ServedApi {

  private static final String LETTERS = "/v1/tenants/acme/inbox/dead-letters";

  @Override
  Map<String, ?> settings() {
    return Map.of();
  }

  @Test
  void lettersAreListedInPagesAndShown() {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      made.add(letters().run(rig.agent()).name());
    }
    String foreign = letters().run(new AgentId("rival", "lab", "spy")).name();
    List<String> seen = new ArrayList<>();
    String after = "";
    do {
      Reply page = client.get(LETTERS + "?limit=2" + after).is(200);
      assertThat(page.json().path("deadLetters").size()).isLessThanOrEqualTo(2);
      page.json().path("deadLetters").forEach(one -> seen.add(one.path("letter").asText()));
      after = page.json().has("next") ? "&after=" + page.json().path("next").asText() : "";
    } while (!after.isEmpty());
    assertThat(seen).doesNotHaveDuplicates().containsAll(made).doesNotContain(foreign);

    JsonNode shown = client.get(LETTERS + "/" + made.getFirst()).is(200).json();
    assertThat(shown.path("deliveries").asInt()).isEqualTo(1);
    assertThat(shown.path("reason").asText()).isEqualTo(DeadLetterRig.REASON);
    assertThat(shown.path("request").path("input").asText()).isEqualTo("do it");
    client.get(LETTERS + "/" + foreign).problem(404, "not-found");
    client.post(LETTERS + "/" + foreign + "/send", "").problem(404, "not-found");
    client.post(LETTERS + "/" + foreign + "/drop", "").problem(404, "not-found");
    client.get(LETTERS + "/0-1").problem(404, "not-found");
    client.get(LETTERS + "/999999-1").problem(404, "not-found");
    client.get(LETTERS + "/first").problem(400, "bad-request");
    client.get(LETTERS + "?after=first").problem(400, "bad-request");
  }

  @Test
  void aRunThatIsSentAgainHasNoResultUntilItEndsAndWaitsInTheInbox() {
    AgentId id = rig.agent();
    Dead dead = letters().run(id);
    assertThat(ended(id, dead)).isPresent();
    client.post(LETTERS + "/" + dead.name() + "/send", "{\"why\": 1}").problem(400, "bad-request");
    client.post(LETTERS + "/" + dead.name() + "/send", "").is(202);
    assertThat(ended(id, dead)).isEmpty();
    assertThat(letters().waiting(id)).hasSize(1);
    client.get(LETTERS + "/" + dead.name()).problem(404, "not-found");
    client.post(LETTERS + "/" + dead.name() + "/send", "{}").problem(404, "not-found");
    assertThat(letters().waiting(id)).hasSize(1);
    rig.complete(id, dead.run(), TextNode.valueOf("done"));
    assertThat(ended(id, dead).orElseThrow().status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  @Test
  void ofARunThatWasAskedForSinceOnlyTheLetterGoes() {
    AgentId id = rig.agent();
    Dead dead = letters().run(id);
    rig.client()
        .colony()
        .agent(id)
        .run(TextNode.valueOf("do it"), RunOptions.namespace(ApiRig.NAMESPACE).runId(dead.run()))
        .stored()
        .toCompletableFuture()
        .join();
    assertThat(letters().waiting(id)).hasSize(1);
    client.post(LETTERS + "/" + dead.name() + "/send", "").is(202);
    assertThat(letters().waiting(id)).hasSize(1);
    client.get(LETTERS + "/" + dead.name()).problem(404, "not-found");
  }

  @Test
  void aLetterWhoseRunHasLeftNothingIsNotSent() {
    AgentId id = rig.agent();
    Dead dead = letters().run(id);
    letters().clear(id);
    Reply refused = client.post(LETTERS + "/" + dead.name() + "/send", "").problem(409, "refused");
    assertThat(refused.json().path("detail").asText()).contains("is deleted; drop the letter");
    assertThat(letters().waiting(id)).isEmpty();
    client.post(LETTERS + "/" + dead.name() + "/drop", "").is(200);
  }

  @Test
  void aSignalIsSentAgainAsItWas() {
    AgentId id = rig.agent();
    String name = letters().signal(id);
    client.post(LETTERS + "/" + name + "/send", "").is(202);
    assertThat(letters().waiting(id)).singleElement().extracting("key").asString().isNotEmpty();
    client.get(LETTERS + "/" + name).problem(404, "not-found");
  }

  @Test
  void whatIsDroppedIsGoneAndItsRunStaysFailed() {
    AgentId id = rig.agent();
    Dead dead = letters().run(id);
    client.post(LETTERS + "/" + dead.name() + "/drop", "").is(200);
    client.post(LETTERS + "/" + dead.name() + "/drop", "").problem(404, "not-found");
    assertThat(ended(id, dead).orElseThrow().refused()).isTrue();
    assertThat(letters().waiting(id)).isEmpty();
  }

  private Optional<AgentRun> ended(AgentId id, Dead dead) {
    return rig.client()
        .colony()
        .agent(id)
        .ended(dead.run(), RunOptions.namespace(ApiRig.NAMESPACE))
        .toCompletableFuture()
        .join();
  }

  private DeadLetterRig letters() {
    return new DeadLetterRig(rig.client().blackboards(), rig.client().colony());
  }
}
