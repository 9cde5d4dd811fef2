package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.server.http.ApiClient.Reply;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The blackboard over HTTP. */
class BoardApiTest extends ServedApi {

  private static final String BOARD = "/v1/tenants/acme/board";

  private Scope scope;
  private Blackboard board;

  @Override
  Map<String, ?> settings() {
    return Map.of("streams.heartbeat", "200ms");
  }

  @BeforeEach
  void fresh() {
    scope = Scope.colony("acme", "c-" + UUID.randomUUID());
    board = rig.client().blackboards().open(scope, "tester");
  }

  @Test
  void entriesAreReadInPages() {
    for (String key : List.of("a:1", "a:2", "a:3", "b:1")) {
      write(key, 1);
    }
    String entries = BOARD + "/entries?scope=" + scope;
    List<String> found = new ArrayList<>();
    String after = "";
    do {
      Reply page = client.get(entries + "&keys=a:*&limit=2" + after).is(200);
      assertThat(keys(page)).hasSizeLessThanOrEqualTo(2);
      found.addAll(keys(page));
      after = page.json().has("next") ? "&after=" + next(page) : "";
    } while (!after.isEmpty());
    assertThat(found).containsExactly("a:1", "a:2", "a:3");
    assertThat(keys(client.get(entries + "&key=b:1").is(200))).containsExactly("b:1");
    client.get(entries + "&key=none").problem(404, "not-found");
    assertThat(keys(client.get(entries + "&tag=odd").is(200))).isEmpty();
    client.get(BOARD + "/entries").problem(400, "bad-request");
    client.get(BOARD + "/entries?scope=acme").problem(400, "bad-request");
  }

  @Test
  void anotherTenantsScopeIsNotReachedThroughThisOnesPath() {
    String other = Scope.colony("rival", "secret").path();
    client.get(BOARD + "/entries?scope=" + other).problem(403, "forbidden");
    client.get(BOARD + "/events?scope=" + other).problem(403, "forbidden");
    client.get(BOARD + "/scopes?after=" + other).problem(403, "forbidden");
    rig.client()
        .blackboards()
        .open(Scope.colony("rival", "secret"), "r")
        .write(Write.value("k", 1))
        .toCompletableFuture()
        .join();
    write("k", 1);
    assertThat(client.get(BOARD + "/scopes").is(200).text())
        .contains(scope.path())
        .doesNotContain("rival");
  }

  @Test
  void scopesAreListedInPages() {
    write("k", 1);
    rig.client()
        .blackboards()
        .open(scope.namespace("n"), "t")
        .write(Write.value("k", 1))
        .toCompletableFuture()
        .join();
    List<String> seen = new ArrayList<>();
    String after = "";
    do {
      Reply page = client.get(BOARD + "/scopes?limit=1" + after).is(200);
      page.json().path("scopes").forEach(one -> seen.add(one.path("scope").asText()));
      after = page.json().has("next") ? "&after=" + next(page) : "";
    } while (!after.isEmpty());
    assertThat(seen).doesNotHaveDuplicates().contains(scope.path(), scope.namespace("n").path());
  }

  @Test
  void eventsAreWatchedAndTakenUpAgainWithoutAGap() {
    write("before", 0);
    String events = BOARD + "/events?scope=" + scope;
    String begin;
    List<Event> first;
    try (Stream<String> lines = client.stream(events + "&keys=k*", Map.of())) {
      Iterator<String> read = lines.iterator();
      begin = read.next();
      write("k1", 1);
      write("other", 1);
      write("k2", 2);
      first = Event.all(take(read, 2));
    }
    assertThat(begin).startsWith("id: ");
    assertThat(first)
        .extracting(one -> one.data().path("key").asText())
        .containsExactly("k1", "k2");
    JsonNode schema = ApiClient.parse("{\"$ref\": \"#/components/schemas/BoardEvent\"}");
    assertThat(first)
        .allSatisfy(one -> assertThat(OpenApi.DOCUMENT.violations(schema, one.data())).isEmpty());
    write("k3", 3);
    assertThat(keysFrom(events, Map.of("Last-Event-ID", begin.substring(4)), 4))
        .containsExactly("k1", "other", "k2", "k3");
    assertThat(keysFrom(events, Map.of("Last-Event-ID", first.getFirst().id()), 3))
        .containsExactly("other", "k2", "k3");
    assertThat(keysFrom(events + "&from=beginning", Map.of(), 2)).containsExactly("before", "k1");
    client.get(events + "&from=x").problem(400, "bad-request");
    client.get(events + "&from=-1--1").problem(400, "bad-request");
    client.get(events + "&from=1-x").problem(400, "bad-request");
    client.get(events + "&keys=").problem(400, "bad-request");
  }

  private List<String> keysFrom(String path, Map<String, String> headers, int count) {
    try (Stream<String> lines = client.stream(path, headers)) {
      return Event.all(take(lines.iterator(), count)).stream()
          .map(one -> one.data().path("key").asText())
          .toList();
    }
  }

  /** The lines up to and with so many events. */
  private static Stream<String> take(Iterator<String> lines, int events) {
    List<String> taken = new ArrayList<>();
    int left = events;
    while (left > 0) {
      String line = lines.next();
      taken.add(line);
      if (line.startsWith("data: ")) {
        left--;
      }
    }
    taken.add("");
    return taken.stream();
  }

  private void write(String key, int value) {
    board.write(Write.value(key, value)).toCompletableFuture().join();
  }

  private static String next(Reply page) {
    return page.json().path("next").asText();
  }

  private static List<String> keys(Reply page) {
    List<String> keys = new ArrayList<>();
    page.json().path("entries").forEach(one -> keys.add(one.path("key").asText()));
    return keys;
  }
}
