package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.schedule.Sensitivity;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageUseTracker;
import dev.colony.vcm.table.ReplicaId;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Where pages stand, locks of them, and their graph, over HTTP. */
class PagesApiTest extends ServedApi {

  private static final PageId P = new PageId("p".repeat(26));
  private static final PageId Q = new PageId("q".repeat(26));
  private static final ReplicaId REPLICA = new ReplicaId("r1");
  private static final NodeAddress NODE = new NodeAddress("127.0.0.1:1");
  private static final String MAP = "/v1/tenants/system/page-maps/m";

  @Override
  Map<String, ?> settings() {
    return Map.of();
  }

  private static final String CODE = "final class Merge {\n  void merge(Segment one) {}\n}";

  @BeforeAll
  void pages() {
    rig.map(
        new PageMap(
            "m",
            "src",
            List.of(new PageGroup(new PageGroupId("g".repeat(26)), "src", List.of(P, Q), 200)),
            2),
        List.of(page(P, "Merge.java"), page(Q, "Tea.java")));
    VirtualContextPage code = PageText.page("Merge.java", CODE, PageLabel.NONE, new TokenCounter());
    rig.map(
        new PageMap(
            "code",
            "lucene",
            List.of(new PageGroup(new PageGroupId("h".repeat(26)), "src", List.of(code.id()), 20)),
            1),
        List.of(code));
    rig.graph("m", P, Q, 0.75);
    rig.table()
        .report(
            new ReplicaResidency(
                REPLICA, NODE, URI.create("http://127.0.0.1:1/v1"), 1, 1, Map.of(P, 90)));
    PageUseTracker tracker = new PageUseTracker(NODE, 1, 10);
    tracker.began(REPLICA, List.of(Q), page -> false, Instant.parse("2026-01-01T00:00:00Z"));
    rig.table().report(tracker.report());
    await().until(() -> table("").path("all").asInt() == 2);
  }

  private static VirtualContextPage page(PageId id, String file) {
    return new VirtualContextPage(id, "text", 100, List.of(new PageSegment(file, 1, 4)));
  }

  private JsonNode table(String query) {
    return client.get("/v1/pages/table" + query).is(200).json();
  }

  @Test
  void theTableSaysHowPagesStand() {
    JsonNode loading = table("?state=loading&replica=r1");
    assertThat(loading.path("entries").path(0).path("page").asText()).isEqualTo(Q.value());
    assertThat(loading.path("entries").path(0).path("readers").asInt()).isEqualTo(1);
    assertThat(loading.path("entries").path(0).path("lastUse").asText())
        .isEqualTo("2026-01-01T00:00:00Z");
    JsonNode resident = table("?state=RESIDENT");
    assertThat(resident.path("entries").path(0).path("tokens").asInt()).isEqualTo(90);
    assertThat(table("?limit=1").path("entries")).hasSize(1);
    assertThat(table("?replica=nowhere").path("all").asInt()).isZero();
    assertThat(client.get("/v1/pages/table?state=gone").problem(400, "bad-request").text())
        .contains("state is gone");
  }

  @Test
  void aPageIsLockedExtendedAndUnlocked() {
    String page = "/v1/pages/" + P;
    assertThat(post(page + "/extend").problem(400, "bad-request").text())
        .contains("has no lock of page " + P);
    JsonNode locked = post(page + "/lock?seconds=60").is(200).json().path("locks").path(0);
    assertThat(locked.path("holder").asText()).startsWith("operator:");
    JsonNode later = post(page + "/extend?seconds=600").is(200).json().path("locks").path(0);
    assertThat(
            Duration.between(
                Instant.parse(locked.path("until").asText()),
                Instant.parse(later.path("until").asText())))
        .isGreaterThanOrEqualTo(Duration.ofSeconds(540));
    assertThat(client.get("/v1/pages/locks").is(200).json().path("locks")).containsExactly(later);
    assertThat(table("?state=resident").path("entries").path(0).path("lockedUntil"))
        .isEqualTo(later.path("until"));
    assertThat(post(page + "/lock?seconds=604800").problem(400, "bad-request").text())
        .contains("3600 s");
    assertThat(post(page + "/unlock").is(200).json().path("locks")).isEmpty();
    assertThat(client.get("/v1/pages/locks").is(200).json().path("locks")).isEmpty();
    assertThat(post("/v1/pages/x/lock").problem(400, "bad-request").text()).contains("base32");
  }

  private ApiClient.Reply post(String path) {
    return client.send("POST", path, "", Map.of());
  }

  @Test
  void placesOfAMappedSourceAreFoundForAQuestion() {
    JsonNode found =
        explore("{\"question\": \"Where is a segment merged?\", \"map\": \"code\"}").json();
    assertThat(found.path("source").asText()).isEqualTo("lucene");
    JsonNode best = found.path("places").path(0);
    assertThat(best.path("path").asText()).isEqualTo("Merge.java");
    List<String> lines = CODE.lines().toList();
    assertThat(lines.subList(best.path("firstLine").asInt() - 1, best.path("lastLine").asInt()))
        .anyMatch(line -> line.contains("merge"));
    assertThat(explore("{\"question\": \"merge\", \"limit\": 1}").json())
        .as("the map that was stored last")
        .isEqualTo(explore("{\"question\": \"merge\", \"limit\": 1, \"map\": \"code\"}").json());
    assertThat(explore("{\"question\": \"MongoDB\", \"map\": \"code\"}").json().path("places"))
        .isEmpty();
  }

  @Test
  void aQuestionThatCannotBeAskedIsRefusedInOneLine() {
    assertThat(explore("{}").problem(400, "bad-request").text()).contains("question");
    assertThat(explore("{\"question\": \"\"}").problem(400, "bad-request").text())
        .contains("1 to 4000 characters");
    assertThat(explore("{\"question\": \"x\", \"limit\": 51}").problem(400, "bad-request").text())
        .contains("limit is 51, but must be 1 to 50");
    assertThat(explore("{\"question\": \"x\", \"map\": \"none\"}").problem(404, "not-found").text())
        .contains("no page map none");
  }

  private ApiClient.Reply explore(String body) {
    return client.send("POST", "/v1/explore", body, Map.of("Content-Type", "application/json"));
  }

  @Test
  void whatIsAskedForAndInNoCacheIsShown() {
    rig.table().leases().request("a/b/c", List.of(P, Q), 7, Duration.ofMinutes(1));
    JsonNode faults = client.get("/v1/pages/faults").is(200).json().path("faults");
    assertThat(faults).hasSize(1);
    assertThat(faults.path(0).path("page").asText()).isEqualTo(Q.value());
    assertThat(faults.path(0).path("priority").asInt()).isEqualTo(7);
    assertThat(faults.path(0).path("waiters").path(0).asText()).isEqualTo("a/b/c");
  }

  @Test
  void anothersOwnMapIsRefused() {
    PageId own = new PageId("o".repeat(26));
    rig.map(
        new PageMap(
            "own",
            "src",
            List.of(new PageGroup(new PageGroupId("o".repeat(26)), "src", List.of(own), 100)),
            1),
        List.of(
            new VirtualContextPage(
                own,
                "text",
                100,
                List.of(new PageSegment("A.java", 1, 1)),
                new PageLabel(Optional.of("acme"), Sensitivity.PUBLIC, Map.of()))));
    assertThat(
            client.get("/v1/tenants/acme/page-maps/own/pages").is(200).json().path("all").asInt())
        .isEqualTo(1);
    for (String view : List.of("pages", "graph")) {
      client.get("/v1/tenants/desk/page-maps/own/" + view).problem(403, "forbidden");
    }
  }

  @Test
  void aMapAndItsGraphAreShown() {
    JsonNode pages = client.get(MAP + "/pages?skip=1").is(200).json();
    assertThat(pages.path("all").asInt()).isEqualTo(2);
    assertThat(pages.path("pages").path(0).path("lines").path(0).asText())
        .isEqualTo("Tea.java:1-4");
    JsonNode edges = client.get(MAP + "/graph").is(200).json().path("edges");
    assertThat(edges).hasSize(1);
    assertThat(edges.path(0).path("weight").asDouble()).isEqualTo(0.75);
    assertThat(client.get("/v1/tenants/acme/page-maps/m/pages").is(200).json().path("all").asInt())
        .as("it is no tenant's own")
        .isEqualTo(2);
    client.get("/v1/tenants/system/page-maps/nowhere/graph").problem(404, "not-found");
  }
}
