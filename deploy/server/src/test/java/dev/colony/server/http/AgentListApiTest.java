package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.server.fixture.StoredAgents;
import dev.colony.server.http.ApiClient.Reply;
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

/** Lists of agents over HTTP: filters and pages. */
class AgentListApiTest extends ServedApi {

  private static final int MANY = 2_000;

  @Override
  Map<String, ?> settings() {
    return Map.of();
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
    assertThat(walk(colony + "/agents", "limit=2").ids())
        .extracting(id -> AgentId.parse(id).name())
        .isEqualTo(names);
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
}
