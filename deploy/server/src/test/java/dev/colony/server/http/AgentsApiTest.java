package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.suspension.Suspension;
import dev.colony.agent.suspension.SuspensionCause;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.LifecycleCommand;
import dev.colony.server.fixture.StoredAgents;
import dev.colony.server.http.ApiClient.Reply;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Agents, their past and sessions over HTTP. */
class AgentsApiTest extends ServedApi {

  private static final int MANY = 2_000;

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
        .post(ApiRig.COLONY + "/agents", spawn.replace("test.any", "test.other"))
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
        .problem(400, "bad-request");
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
                  CapabilityBlueprint.of(Blueprint.of("test.any")).scope(Scope.parse(foreign)))
              .toJson()
              .toString();
      client
          .post(
              ApiRig.COLONY + "/agents",
              "{\"name\": \"%s\", \"blueprint\": %s}".formatted(name, blueprint))
          .problem(409, "refused");
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
        .problem(400, "bad-request");
  }

  /** Most are in the directory alone, and every hundredth is suspended by its journal. */
  @Test
  void thousandsOfAgentsAreFilteredPageByPage() {
    String colony = "c-" + UUID.randomUUID();
    String path = "/v1/tenants/acme/colonies/" + colony + "/agents";
    Set<String> suspended = new TreeSet<>();
    List<CompletableFuture<?>> spawned = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      AgentId id = new AgentId(ApiRig.TENANT, colony, "a-%04d".formatted(i));
      spawned.add(rig.client().colony().spawn(id, ApiRig.BLUEPRINT).toCompletableFuture());
      if (i % 100 == 50) {
        suspended.add(id.persistenceId());
      }
    }
    spawned.forEach(CompletableFuture::join);
    suspended.forEach(id -> suspend(AgentId.parse(id)));

    Walk walk = walk(path, "cause=explicit&limit=1000");
    assertThat(walk.ids()).containsExactlyElementsOf(suspended);
    assertThat(walk.requests()).as("each looks at a thousand").isEqualTo(2);
    assertThat(walk.longest()).as("bytes of the longest answer").isLessThan(64 * 1024);

    assertThat(walk(path, "state=SUSPENDED&limit=3").ids()).containsExactlyElementsOf(suspended);
    assertThat(walk(path, "prefix=a-01&limit=60").ids()).hasSize(100);
    assertThat(walk(path, "prefix=a-01&state=suspended").ids())
        .containsExactly("acme/" + colony + "/a-0150");
    assertThat(walk(path, "policy=test.other&limit=1000").ids()).isEmpty();
    assertThat(walk("/v1/tenants/acme/agents", "cause=EXPLICIT&prefix=a-").ids())
        .containsAll(suspended);

    client.get(path + "?state=tired").problem(400, "bad-request");
    client.get(path + "?cause=tired").problem(400, "bad-request");
    client.get(path + "?prefix=a*").problem(400, "bad-request");
    client.get("/v1/tenants/acme/agents?after=a-0001").problem(400, "bad-request");
  }

  /** All pages of a list, by their ids. */
  private record Walk(List<String> ids, int requests, int longest) {}

  private Walk walk(String path, String query) {
    List<String> ids = new ArrayList<>();
    int requests = 0;
    int longest = 0;
    Optional<String> after = Optional.empty();
    do {
      Reply page =
          client.get(path + "?" + query + after.map(name -> "&after=" + name).orElse("")).is(200);
      page.json().path("agents").forEach(one -> ids.add(one.path("agentId").asText()));
      after = Optional.ofNullable(page.json().get("next")).map(JsonNode::asText);
      requests++;
      longest = Math.max(longest, page.json().toString().length());
    } while (after.isPresent());
    return new Walk(ids, requests, longest);
  }

  private void suspend(AgentId id) {
    rig.agents().born(id, ApiRig.BLUEPRINT);
    rig.agents()
        .journal(
            id,
            new AgentEvent.Transitioned(
                LifecycleCommand.SUSPEND,
                AgentState.IDLE,
                AgentState.SUSPENDED,
                "over night",
                Optional.of(
                    new Suspension(
                        1,
                        SuspensionCause.EXPLICIT,
                        "over night",
                        Optional.empty(),
                        StoredAgents.START)),
                0,
                StoredAgents.START));
  }

  @Test
  void agentsAreListedInPages() {
    String colony = "/v1/tenants/acme/colonies/c-" + UUID.randomUUID();
    List<String> names = List.of("a", "b", "c", "d", "e");
    names.forEach(name ->
        client
            .post(
                colony + "/agents",
                "{\"name\": \"%s\", \"blueprint\": %s}".formatted(name, ApiRig.BLUEPRINT.toJson()))
            .is(201));
    List<String> listed = new ArrayList<>();
    Optional<String> after = Optional.empty();
    do {
      Reply page =
          client
              .get(colony + "/agents?limit=2" + after.map(name -> "&after=" + name).orElse(""))
              .is(200);
      page.json()
          .path("agents")
          .forEach(one -> listed.add(AgentId.parse(one.path("agentId").asText()).name()));
      after = Optional.ofNullable(page.json().get("next")).map(next -> next.asText());
    } while (after.isPresent());
    assertThat(listed).isEqualTo(names);
    for (String bad : List.of("0", "-1", "1001", "x", "1e3", "99999999999999999999")) {
      client.get(colony + "/agents?limit=" + bad).problem(400, "bad-request");
    }
    client.get(colony + "/agents?limit=1&limit=2").problem(400, "bad-request");
    client.get(colony + "/agents?after=a%20b").problem(400, "bad-request");
  }

  @Test
  void aLongPageIsWholeAndInOrder() {
    String colony = "c-" + UUID.randomUUID();
    List<String> names = IntStream.range(0, 130).mapToObj(i -> "a-%03d".formatted(i)).toList();
    CompletableFuture.allOf(
            names.stream()
                .map(name ->
                    rig.client()
                        .colony()
                        .spawn(new AgentId(ApiRig.TENANT, colony, name), ApiRig.BLUEPRINT)
                        .toCompletableFuture())
                .toArray(CompletableFuture[]::new))
        .join();
    for (int limit : List.of(63, 64, 65, 128, 129, 130, 131)) {
      Reply page =
          client
              .get("/v1/tenants/acme/colonies/%s/agents?limit=%d".formatted(colony, limit))
              .is(200);
      List<String> listed = new ArrayList<>();
      page.json()
          .path("agents")
          .forEach(one -> listed.add(AgentId.parse(one.path("agentId").asText()).name()));
      assertThat(listed).isEqualTo(names.subList(0, Math.min(limit, names.size())));
      assertThat(page.json().path("next").asText(""))
          .isEqualTo(limit < names.size() ? listed.getLast() : "");
    }
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

  @Test
  void theClusterAndTheDocumentAreShown() {
    client.get("/v1/cluster").is(200);
    client.get("/v1/pages").is(200);
    assertThat(client.get("/v1/openapi.yaml").is(200).text()).startsWith("openapi: 3.1.0");
  }

  @Test
  void theDocumentNamesTheAddressByWhichTheServerWasReached() {
    String here = api.uri().toString();
    assertThat(client.get("/v1/openapi.yaml").is(200).text()).contains("\n  - url: " + here + "\n");
    assertThat(server(Map.of())).isEqualTo(here);
    assertThat(server(Map.of("X-Forwarded-Proto", "https")))
        .isEqualTo(here.replace("http:", "https:"));
    assertThat(server(Map.of("X-Forwarded-Proto", "x'y"))).isEqualTo(here);
  }

  private String server(Map<String, String> headers) {
    Reply document = client.send("GET", "/v1/openapi.json", "", headers).is(200);
    return document.json().path("servers").path(0).path("url").asText();
  }

  private static String type(Reply reply) {
    return reply.json().path("type").asText();
  }

  private static String path(AgentId id) {
    return ApiRig.COLONY + "/agents/" + id.name();
  }
}
