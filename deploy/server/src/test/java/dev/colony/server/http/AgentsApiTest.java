package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ResumptionCondition;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.server.fixture.StoredAgents;
import dev.colony.server.http.ApiClient.Reply;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Agents, their past and sessions over HTTP. */
class AgentsApiTest extends ServedApi {

  @Override
  Map<String, ?> settings() {
    return Map.of();
  }

  @Test
  void anAgentIsEnteredOnce() {
    String name = "a-" + UUID.randomUUID();
    String spawn =
        "{\"name\": \"%s\", \"blueprint\": %s}".formatted(name, ApiRig.BLUEPRINT.toJson());
    Reply first = client.post(ApiRig.COLONY + "/agents", spawn).is(201);
    assertThat(first.headers().get("Location")).isEqualTo(ApiRig.COLONY + "/agents/" + name);
    client.post(ApiRig.COLONY + "/agents", spawn).is(200);
    client
        .post(
            ApiRig.COLONY + "/agents",
            spawn.replace("UNBOUND", "VCM_BOUND\", \"pages\": \"" + "p".repeat(26)))
        .problem(409, "refused");
    client.post(ApiRig.COLONY + "/agents", spawn.replace(name, "a b")).problem(400, "bad-request");
    client.post(ApiRig.COLONY + "/agents", "{\"name\": \"x\"}").problem(400, "bad-request");
    client.post(ApiRig.COLONY + "/agents", "").problem(400, "bad-request");
  }

  @Test
  void anAgentIsShownAsItsJournalTells() {
    AgentId id = rig.agent();
    Reply shown = client.get(path(id)).is(200);
    assertThat(shown.json().path("agentId").asText()).isEqualTo(id.persistenceId());
    assertThat(shown.json().path("state").asText()).isEqualTo("IDLE");
    client.get(path(id) + "/status").is(200);
    client.get(ApiRig.COLONY + "/agents/ghost").problem(404, "not-found");
    client.get(ApiRig.COLONY + "/agents/ghost/status").problem(404, "not-found");
  }

  @Test
  void anAgentWhoseEventsTheStoreHasLostWaitsForADecision() {
    AgentId id = rig.agent();
    client.post(path(id) + "/lost-events/continue", "").problem(404, "not-found");
    StoredAgents.lose(rig.redisUri(), id, 9);
    Reply all = client.get("/v1/tenants/" + id.tenant() + "/lost-events").is(200);
    assertThat(all.json().path("lostEvents"))
        .filteredOn(one -> one.path("agentId").asText().equals(id.persistenceId()))
        .singleElement()
        .extracting(one -> one.path("acknowledged").asLong())
        .isEqualTo(9L);
    assertThat(client.get(path(id)).is(200).json().path("cause").asText()).isEqualTo("STORE");
    client.post(path(id) + "/lost-events/close", "{\"a\": 1}").problem(400, "bad-request");
    client.post(path(id) + "/lost-events/restore", "").problem(409, "refused");
    client.post(path(id) + "/lost-events/close", "{}").is(200);
    client.post(path(id) + "/lost-events/close", "").problem(404, "not-found");
  }

  @Test
  void aRunThatIsNotThereMayBeAmongWhatAStoreThatWentBackHasLost() {
    String run = path(rig.agent()) + "/runs/r1?namespace=work";
    String events = run.replace("?", "/events?");
    client.get(run).problem(404, "not-found");
    assertThat(client.get("/v1/store").is(200).json().has("lastRollback")).isFalse();
    StoredAgents.rollBack(rig.redisUri(), Optional.of(Instant.parse("2026-01-02T03:04:05Z")));
    try {
      assertThat(client.get(run).problem(410, "run-lost").json().path("detail").asText())
          .contains("since 2026-01-02T03:04:05Z");
      client.get(events).problem(410, "run-lost");
      assertThat(client.get("/v1/store").is(200).json().path("lastRollback").path("since").asText())
          .isEqualTo("2026-01-02T03:04:05Z");
    } finally {
      StoredAgents.rollBack(rig.redisUri(), Optional.empty());
    }
  }

  @Test
  void whatHasEndedIsPurgedAndNothingElse() {
    AgentId id = rig.agent();
    client.post(path(id) + "/purge", "{}").problem(409, "refused");
    client.post(ApiRig.COLONY + "/agents/ghost/purge", "{}").problem(404, "not-found");
    Scope directory = Scope.colony(id.tenant(), id.colony()).namespace("agents");
    rig.client()
        .blackboards()
        .open(directory, "test")
        .write(Write.value("state:" + id.name(), Map.of("state", "STOPPED")))
        .toCompletableFuture()
        .join();
    rig.client()
        .blackboards()
        .open(id.scope().namespace("work"), "test")
        .write(Write.value("result:run:r1", "over"))
        .toCompletableFuture()
        .join();
    client
        .post(ApiRig.COLONY + "/purge/agents", "{\"olderThan\": \"soon\"}")
        .problem(400, "bad-request");
    client
        .post(ApiRig.COLONY + "/purge/runs", "{\"after\": \"tenant:rival\"}")
        .problem(403, "forbidden");
    Reply runs = client.post(ApiRig.COLONY + "/purge/runs", "{\"dryRun\": true}").is(200);
    assertThat(runs.json().path("purged").asInt()).isPositive();
    Reply young = client.post(ApiRig.COLONY + "/purge/agents", "{\"olderThan\": \"PT1H\"}").is(200);
    assertThat(young.json().path("purged")).isEmpty();
    Reply all = client.post(ApiRig.COLONY + "/purge/agents", "{\"dryRun\": true}").is(200);
    assertThat(all.json().path("purged")).anyMatch(one -> one.asText().equals(id.persistenceId()));
    client.get(path(id)).is(200);
    client.post(path(id) + "/purge", "{}").is(200);
    client.get(path(id)).problem(404, "not-found");
  }

  @Test
  void anAgentIsMadeOfNothingOfAnotherTenant() {
    String name = "a-" + UUID.randomUUID();
    for (String foreign :
        List.of("tenant:rival", "tenant:rival:colony:lab", "tenant:acme:colony:other")) {
      String blueprint =
          ApiRig.BLUEPRINT
              .capability(
                  CapabilityBlueprint.of(Blueprint.of("memory")).scope(Scope.parse(foreign)))
              .toJson()
              .toString();
      client
          .post(
              ApiRig.COLONY + "/agents",
              "{\"name\": \"%s\", \"blueprint\": %s}".formatted(name, blueprint))
          .problem(400, "bad-request");
      client.get(ApiRig.COLONY + "/agents/" + name).problem(404, "not-found");
    }
  }

  @Test
  void noAgentWaitsForWhatHappensAtAnotherTenant() {
    AgentId id = rig.agent();
    ResumptionCondition foreign =
        new ResumptionCondition.Event(
            Scope.tenant("rival"), new KeyGlob("*"), Optional.of(Position.BEGINNING));
    client
        .post(path(id) + "/suspend", "{\"until\": %s}".formatted(foreign.toJson()))
        .problem(403, "forbidden");
  }

  /** What is misspelt would else be waited for in another way than is meant. */
  @Test
  void aConditionThatIsNotAsItShouldBeIsRefusedWithItsField() {
    String suspend = path(rig.agent()) + "/suspend";
    Map.of(
            "{\"type\": \"CUSTOM\", \"key\": \"go\", \"timeout\": \"5s\"}",
            "the condition CUSTOM has no field timeout; it has key",
            "{\"type\": \"IMMEDIATE\", \"at\": 1}",
            "the condition IMMEDIATE has no field at; it has none",
            "{\"type\": \"ALL\", \"of\": [{\"type\": \"AT\", \"tiem\": \"x\"}]}",
            "the condition AT has no field tiem; it has time",
            "{\"type\": \"AT\", \"time\": \"noon\"}",
            "the condition AT needs a time like",
            "{\"type\": \"CUSTOM\"}",
            "the condition CUSTOM needs the field key",
            "{\"type\": \"CHILDREN_COMPLETED\", \"agents\": \"acme\"}",
            "the condition CHILDREN_COMPLETED needs a list as agents")
        .forEach((condition, words) ->
            assertThat(
                    client
                        .post(suspend, "{\"until\": %s}".formatted(condition))
                        .problem(400, "bad-request")
                        .json()
                        .path("detail")
                        .asText())
                .startsWith(words));
  }

  @Test
  void aTenantAColonyAndATreeAreSuspendedAsAWhole() {
    AgentId id = rig.agent();
    String tenant = "/v1/tenants/" + id.tenant();
    String tree = path(id) + "/tree";
    client.post(tree + "/suspend", "{\"reason\": \"too dear\"}").is(202);
    client.post(ApiRig.COLONY + "/suspend", "").is(202);
    client.post(tenant + "/suspend", "{}").is(202);
    assertThat(client.get(tenant + "/suspensions").is(200).json().path("scopes"))
        .extracting(one -> one.path("scope").asText())
        .containsExactly(
            "tenant:" + id.tenant(),
            Scope.colony(id.tenant(), id.colony()).path(),
            id.scope().path());
    client.post(tenant + "/suspend", "{\"why\": \"x\"}").problem(400, "bad-request");
    client.post(ApiRig.COLONY + "/agents/ghost/tree/suspend", "").problem(404, "not-found");
    client.post(ApiRig.COLONY + "/agents/ghost/tree/resume", "").problem(404, "not-found");
    client.post(tenant + "/resume", "{}").is(202);
    client.post(ApiRig.COLONY + "/resume", "").is(202);
    JsonNode left = client.get(tenant + "/suspensions").is(200).json().path("scopes");
    assertThat(left).hasSize(1);
    assertThat(left.get(0).path("reason").asText()).contains("too dear");
    client.post(tree + "/resume", "").is(202);
    assertThat(client.get(tenant + "/suspensions").is(200).json().path("scopes")).isEmpty();
  }

  @Test
  void aRunThatIsNotTheLastIsNotRewound() {
    AgentId id = rig.agent();
    assertThat(
            client
                .post(path(id) + "/runs/r1/rewind", "{\"step\": 0}")
                .problem(409, "refused")
                .json()
                .path("detail")
                .asText())
        .contains("run r1 is not the last that the agent has ended");
    client.post(path(id) + "/runs/r1/rewind", "{\"steps\": 0}").problem(400, "bad-request");
    client
        .post(ApiRig.COLONY + "/agents/ghost/runs/r1/rewind", "{\"step\": 0}")
        .problem(404, "not-found");
  }

  @Test
  void whatAnAgentIsToldIsStored() {
    AgentId id = rig.agent();
    client.post(path(id) + "/suspend", "{\"reason\": \"wait\"}").is(202);
    client
        .post(path(id) + "/suspend", "{\"until\": {\"condition\": \"nonsense\"}}")
        .problem(400, "bad-request");
    client.post(path(id) + "/resume", "").is(202);
    client.post(path(id) + "/signals/dawn", "{}").is(202);
    client.post(path(id) + "/signals/a%20b", "{}").problem(400, "bad-request");
    client.post(path(id) + "/approvals/pay-42", "{\"granted\": true, \"by\": \"ann\"}").is(202);
    client.post(path(id) + "/approvals/pay-42", "{\"by\": \"ann\"}").problem(400, "bad-request");
    client.post(path(id) + "/approvals/pay-42", "{\"granted\": true}").problem(400, "bad-request");
    client.post(path(id) + "/stop", "{\"reasons\": \"x\"}").problem(400, "bad-request");
    client.post(path(id) + "/stop", "{\"reason\": \"done\"}").is(202);
    List<Entry> told =
        rig.client()
            .blackboards()
            .open(id.scope(), "test")
            .query(Query.all())
            .toCompletableFuture()
            .join()
            .entries();
    assertThat(told)
        .extracting(Entry::key)
        .hasSize(5)
        .anyMatch(key -> key.equals("approval:pay-42"));
  }

  @Test
  void thePastIsReadAndForked() {
    AgentId id = rig.agent();
    Reply page = client.get(path(id) + "/history?limit=2").is(200);
    assertThat(page.json().path("entries")).hasSize(2);
    Reply older =
        client.get(path(id) + "/history?before=" + page.json().path("older").asText()).is(200);
    assertThat(older.json().path("entries")).hasSize(1);
    assertThat(older.json().has("older")).isFalse();
    assertThat(type(client.get(path(id) + "/history/3").is(200))).isEqualTo("known");
    assertThat(type(client.get(path(id) + "/history/9").is(200))).isEqualTo("not-yet");
    assertThat(type(client.get(ApiRig.COLONY + "/agents/ghost/history/1"))).isEqualTo("unknown");
    client.get(path(id) + "/history/0").problem(400, "bad-request");
    client.get(path(id) + "/history/x").problem(400, "bad-request");
    client.get(path(id) + "/history?before=x").problem(400, "bad-request");

    String fork = "{\"sequenceNr\": %d, \"name\": \"" + "f-" + UUID.randomUUID() + "\"}";
    Reply forked = client.post(path(id) + "/forks", fork.formatted(3)).is(201);
    assertThat(type(forked)).isEqualTo("forked");
    client.get(forked.headers().get("Location") + "/status").is(200);
    assertThat(type(client.post(path(id) + "/forks", fork.formatted(2)).is(200)))
        .isEqualTo("taken");
    assertThat(
            type(client.post(path(id) + "/forks", "{\"sequenceNr\": 9, \"name\": \"x\"}").is(200)))
        .isEqualTo("no-such-past");
    client
        .post(path(id) + "/forks", "{\"sequenceNr\": 0, \"name\": \"x\"}")
        .problem(400, "bad-request");
    client
        .post(path(id) + "/forks", "{\"sequenceNr\": 3, \"name\": \"a b\"}")
        .problem(400, "bad-request");
  }

  @Test
  void sessionsAreOpenedFilledAndClosed() {
    String session = ApiRig.COLONY + "/sessions/s-" + UUID.randomUUID();
    client.get(session).problem(404, "not-found");
    client.send("PUT", session, "{\"by\": \"ann\"}", Map.of()).is(200);
    client.send("PUT", session, "", Map.of()).is(200);
    assertThat(client.get(session).is(200).json().path("openedBy").asText()).isEqualTo("ann");
    AgentId id = rig.agent();
    client
        .post(
            path(id) + "/runs",
            "{\"input\": 1, \"namespace\": \"work\", \"sessionId\": \"%s\"}"
                .formatted(session.substring(session.lastIndexOf('/') + 1)))
        .is(202);
    assertThat(client.get(session + "/runs?status=running").is(200).json().path("runs")).hasSize(1);
    assertThat(client.get(session + "/runs?status=failed").is(200).json().path("runs")).isEmpty();
    client.get(session + "/runs?status=odd").problem(400, "bad-request");
    Reply closed = client.post(session + "/close", "{\"reason\": \"over\"}").is(200);
    assertThat(closed.json().path("state").asText()).isEqualTo("CLOSED");
    client.send("PUT", session, "", Map.of()).problem(409, "refused");
    client.get(ApiRig.COLONY + "/sessions?state=closed&limit=1").is(200);
    client.get(ApiRig.COLONY + "/sessions?state=ajar").problem(400, "bad-request");
    client.post(ApiRig.COLONY + "/sessions/none/close", "").problem(409, "refused");
  }

  private static String type(Reply reply) {
    return reply.json().path("type").asText();
  }

  private static String path(AgentId id) {
    return ApiRig.COLONY + "/agents/" + id.name();
  }
}
