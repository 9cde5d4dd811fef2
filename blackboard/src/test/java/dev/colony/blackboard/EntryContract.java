package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries: what is written is what is read, until it is deleted. */
abstract class EntryContract extends Contract {

  private static final ObjectMapper JSON = new ObjectMapper();

  EntryContract(BlackboardContract backend) {
    super(backend);
  }

  @Test
  void writtenEntryIsReadBackWhole() {
    Blackboard board = blackboards().open(scope, "alice");
    JsonNode value = JsonNodeFactory.instance.objectNode().put("n", 1).put("ü", "日本 🎈\n\"");
    Instant before = Instant.now().minusSeconds(5);

    Write write =
        Write.of("finding:42", value)
            .tags("security", "a:b", "日本 🎈")
            .metadata(Map.of("source", "x y", "", "🎈"))
            .ttl(Duration.ofHours(1));
    Position position = written(board.write(write), 1);

    Entry entry = get(board.read("finding:42")).orElseThrow();
    assertThat(entry.key()).isEqualTo("finding:42");
    assertThat(entry.value()).isEqualTo(value);
    assertThat(entry.version()).isEqualTo(1);
    assertThat(entry.position()).isEqualTo(position);
    assertThat(entry.createdBy()).isEqualTo("alice");
    assertThat(entry.updatedBy()).isEqualTo("alice");
    assertThat(entry.createdAt()).isEqualTo(entry.updatedAt()).isAfter(before);
    assertThat(entry.tags()).isEqualTo(Set.of("security", "a:b", "日本 🎈"));
    assertThat(entry.metadata()).isEqualTo(Map.of("source", "x y", "", "🎈"));
    assertThat(entry.expiresAt()).contains(entry.updatedAt().plus(Duration.ofHours(1)));
  }

  @Test
  void laterWriteKeepsWhoCreatedAndReplacesTheRest() {
    Blackboards blackboards = blackboards();
    Write first = text("k", "1").tags("old").metadata(Map.of("m", "1")).ttl(Duration.ofHours(1));
    written(blackboards.open(scope, "alice").write(first), 1);
    Blackboard carol = blackboards.open(scope, "carol");
    Instant created = get(carol.read("k")).orElseThrow().createdAt();
    Entry entry;
    Position last;
    int version = 1;
    do {
      last = written(blackboards.open(scope, "bob").write(text("k", "2")), ++version);
      entry = get(carol.read("k")).orElseThrow();
    } while (!entry.updatedAt().isAfter(created));

    assertThat(entry.value()).isEqualTo(TextNode.valueOf("2"));
    assertThat(entry.version()).isEqualTo(version);
    assertThat(entry.position()).isEqualTo(last);
    assertThat(entry.createdBy()).isEqualTo("alice");
    assertThat(entry.createdAt()).isEqualTo(created);
    assertThat(entry.updatedBy()).isEqualTo("bob");
    assertThat(entry.tags()).isEmpty();
    assertThat(entry.metadata()).isEmpty();
    assertThat(entry.expiresAt()).isEmpty();
  }

  private record Finding(String text, List<Integer> lines, Optional<Instant> seen) {}

  @Test
  void javaObjectIsReadBackAsItsType() {
    Blackboard board = board();
    Finding finding = new Finding("ü", List.of(1, 2), Optional.of(Instant.EPOCH.plusMillis(1)));
    written(board.write(Write.value("k", finding)), 1);
    Entry entry = get(board.read("k")).orElseThrow();
    assertThat(entry.as(Finding.class)).isEqualTo(finding);
    assertThatThrownBy(() -> entry.as(Integer.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"k\"");
  }

  static List<String> jsonValues() {
    return List.of(
        "null",
        "true",
        "\"\"",
        "\"\\u0000\\u001f\\ud83c\\udf88\"",
        "0",
        "-1.5e300",
        "0.1",
        "9223372036854775807",
        "1234567890123456789012345678901234567890",
        "[]",
        "{}",
        "[[1,[2]],{\"a\":{\"\":null}}]");
  }

  @ParameterizedTest
  @MethodSource("jsonValues")
  void everyJsonValueComesBackAsItWas(String json) throws Exception {
    Blackboard board = board();
    JsonNode value = JSON.readTree(json);
    written(board.write(Write.of("k", value)), 1);
    assertThat(get(board.read("k")).orElseThrow().value()).isEqualTo(value);
    assertThat(history(board))
        .singleElement()
        .isInstanceOfSatisfying(
            BlackboardEvent.Written.class, event -> assertThat(event.value()).isEqualTo(value));
  }

  @Test
  void valueIsNobodysToChange() {
    Blackboard board = board();
    ObjectNode value = JsonNodeFactory.instance.objectNode().put("n", 1);
    written(board.write(Write.of("k", value)), 1);
    value.put("n", 2);
    ((ObjectNode) get(board.read("k")).orElseThrow().value()).put("n", 3);
    ((ObjectNode) ((BlackboardEvent.Written) history(board).getFirst()).value()).put("n", 4);
    assertThat(get(board.read("k")).orElseThrow().value().get("n").asInt()).isEqualTo(1);
    assertThat(((BlackboardEvent.Written) history(board).getFirst()).value().get("n").asInt())
        .isEqualTo(1);
  }

  @Test
  void absentEntryIsEmpty() {
    Blackboard board = board();
    assertThat(get(board.read("none"))).isEmpty();
    assertThat(get(board.readAll(List.of("none")))).isEmpty();
    assertThat(get(board.readAll(List.of()))).isEmpty();
    assertThat(get(board.query(Query.all())).entries()).isEmpty();
    assertThat(get(board.delete("none"))).isFalse();
    assertThat(history(board)).isEmpty();
  }

  @Test
  void deletedEntryBeginsAnew() {
    Blackboard board = board();
    written(board.write(text("k", "1").tags("t")), 1);
    Position second = written(board.write(text("k", "2").tags("t")), 2);
    assertThat(get(board.delete("k"))).isTrue();
    assertThat(get(board.delete("k"))).isFalse();
    assertThat(get(board.read("k"))).isEmpty();
    assertThat(keys(board, Query.all())).isEmpty();
    assertThat(keys(board, Query.all().allTags("t"))).isEmpty();
    Position anew = written(board.write(text("k", "3").ifAbsent()), 1);
    assertThat(anew).isGreaterThan(second);
    assertThat(get(board.read("k")).orElseThrow().position()).isEqualTo(anew);
  }

  @Test
  void clearDeletesAllAtOnce() {
    Blackboard board = board();
    assertThat(get(board.clear())).isZero();
    assertThat(history(board)).isEmpty();
    written(board.write(text("a", "").tags("t")), 1);
    written(board.write(text("b", "").ttl(Duration.ofHours(1))), 1);
    written(board.write(text("b", "").ttl(Duration.ofHours(1))), 2);
    assertThat(get(board.clear())).isEqualTo(2);
    assertThat(get(board.clear())).isZero();
    assertThat(get(board.readAll(List.of("a", "b")))).isEmpty();
    assertThat(keys(board, Query.all())).isEmpty();
    assertThat(keys(board, Query.all().allTags("t"))).isEmpty();
    written(board.write(text("b", "").ifAbsent()), 1);
    assertThat(history(board))
        .extracting(Contract::brief)
        .containsExactly("WRITTEN a 0", "WRITTEN b 0", "WRITTEN b 1", "CLEARED 2", "WRITTEN b 0");
  }

  @Test
  void entriesComeInTheOrderAskedFor() {
    Blackboard board = board();
    writeKeys(board, "a", "b", "c");
    assertThat(get(board.readAll(List.of("c", "none", "a", "b"))))
        .extracting(Entry::key)
        .containsExactly("c", "a", "b");
  }

  @Test
  void scopesAreApart() {
    Blackboards blackboards = blackboards();
    List<Scope> scopes =
        List.of(
            Scope.tenant(tenant),
            Scope.tenant(tenant).namespace("n"),
            Scope.colony(tenant, "c"),
            Scope.colony(tenant, "c").namespace("n"),
            Scope.session(tenant, "c", "a"),
            scope,
            scope.namespace("n"),
            scope.namespace("m"));
    for (Scope each : scopes) {
      written(blackboards.open(each, "w").write(text("k", each.path())), 1);
      written(blackboards.open(each, "w").write(text("namespace:n/k", each.path())), 1);
    }
    for (Scope each : scopes) {
      Blackboard board = blackboards.open(each, "w");
      assertThat(board.scope()).isEqualTo(each);
      assertThat(get(board.read("k")).orElseThrow().value().asText()).isEqualTo(each.path());
      assertThat(keys(board, Query.all())).containsExactly("k", "namespace:n/k");
      assertThat(history(board)).extracting(BlackboardEvent::scope).containsExactly(each, each);
    }
    get(blackboards.open(scope, "w").clear());
    assertThat(keys(blackboards.open(scope.namespace("n"), "w"), Query.all())).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a*",
        "a?",
        "/a",
        "tenant:x:colony:y:a",
        "a\nb",
        "a\u0000",
        "a\u0085b",
        "\ud83c",
        "long"
      })
  void badKeyIsRefusedAtOnce(String name) {
    String key = name.equals("long") ? "k".repeat(1_025) : name;
    Blackboard board = board();
    Stream.<Runnable>of(
            () -> board.write(text(key, "")),
            () -> board.send(text(key, ""), "someone"),
            () -> board.writeAll(List.of(text("good", ""), text(key, ""))),
            () -> board.read(key),
            () -> board.readAll(List.of("good", key)),
            () -> board.delete(key))
        .forEach(call ->
            assertThatThrownBy(call::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the key \""));
    assertThat(history(board)).isEmpty();
  }

  @Test
  void longestKeyAndTagAreTaken() {
    Blackboard board = board();
    String key = "日".repeat(1_024);
    String tag = "🎈".repeat(64);
    written(board.write(text(key, "").tags(tag)), 1);
    assertThat(get(board.read(key))).isPresent();
    assertThat(keys(board, Query.all().allTags(tag))).containsExactly(key);
    assertThat(keys(board, Query.keys("日".repeat(1_023) + "*"))).containsExactly(key);
  }

  @Test
  void valueOverTheLimitIsRefusedByNameAndNothingIsWritten() {
    Blackboard board =
        blackboards(BlackboardSettings.DEFAULTS.withMaxValueBytes(10)).open(scope, "w");
    written(board.write(text("k", "12345678")), 1);
    Stream.<Runnable>of(
            () -> board.write(text("k", "123456789")),
            () -> board.writeAll(List.of(text("other", ""), text("k", "123456789"))))
        .forEach(call ->
            assertThatThrownBy(call::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"k\"")
                .hasMessageContaining("max-value-bytes"));
    assertThat(get(board.read("k")).orElseThrow().version()).isEqualTo(1);
    assertThat(get(board.read("other"))).isEmpty();
  }

  @Test
  void largeValueWithinTheLimitIsKept() {
    Blackboard board = board();
    JsonNode value = TextNode.valueOf("x".repeat(3_000_000));
    Recorder events = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    written(board.write(Write.of("k", value)), 1);
    assertThat(get(board.read("k")).orElseThrow().value()).isEqualTo(value);
    events.awaitCount(1);
    assertThat(((BlackboardEvent.Written) events.events().getFirst()).value()).isEqualTo(value);
  }
}
