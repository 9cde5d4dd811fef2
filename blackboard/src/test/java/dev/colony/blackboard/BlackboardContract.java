package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every backend promises for entries. Each test works in a tenant of its own. */
public abstract class BlackboardContract {

  protected static final ObjectMapper JSON = new ObjectMapper();

  protected final String tenant = "t" + UUID.randomUUID();
  protected final Scope scope = Scope.agent(tenant, "c", "a");
  private final List<Blackboards> opened = new ArrayList<>();

  /** A new handle on the backend under test; those of one test see the same data. */
  protected abstract Blackboards connect(BlackboardSettings settings);

  @AfterEach
  void close() {
    opened.forEach(Blackboards::close);
    disconnect();
  }

  /** Ends what {@link #connect} needed, after the backends are closed. */
  protected void disconnect() {}

  protected final Blackboards blackboards(BlackboardSettings settings) {
    Blackboards blackboards = connect(settings);
    opened.add(blackboards);
    return blackboards;
  }

  protected final Blackboard board() {
    return blackboards(BlackboardSettings.DEFAULTS).open(scope, "writer");
  }

  protected static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, java.util.concurrent.TimeUnit.SECONDS).join();
  }

  protected static Position written(CompletionStage<WriteResult> stage, long version) {
    WriteResult result = get(stage);
    assertThat(result).isInstanceOf(WriteResult.Written.class);
    WriteResult.Written written = (WriteResult.Written) result;
    assertThat(written.version()).isEqualTo(version);
    return written.position();
  }

  @Test
  void writtenEntryIsReadBackWhole() {
    Blackboards blackboards = blackboards(BlackboardSettings.DEFAULTS);
    Blackboard board = blackboards.open(scope, "alice");
    JsonNode value = JsonNodeFactory.instance.objectNode().put("n", 1).put("ü", "日本 🎈\n\"");
    Instant before = Instant.now().minusSeconds(5);

    Write write =
        Write.of("finding:42", value)
            .tags("security", "a:b")
            .metadata(Map.of("source", "x y"))
            .ttl(Duration.ofHours(1));
    written(board.write(write), 1);

    Entry entry = get(board.read("finding:42")).orElseThrow();
    assertThat(entry.key()).isEqualTo("finding:42");
    assertThat(entry.value()).isEqualTo(value);
    assertThat(entry.version()).isEqualTo(1);
    assertThat(entry.createdBy()).isEqualTo("alice");
    assertThat(entry.updatedBy()).isEqualTo("alice");
    assertThat(entry.createdAt()).isEqualTo(entry.updatedAt()).isAfter(before);
    assertThat(entry.tags()).isEqualTo(Set.of("security", "a:b"));
    assertThat(entry.metadata()).isEqualTo(Map.of("source", "x y"));
    assertThat(entry.expiresAt()).contains(entry.updatedAt().plus(Duration.ofHours(1)));
  }

  @Test
  void laterWriteKeepsWhoCreatedAndReplacesTheRest() {
    Blackboards blackboards = blackboards(BlackboardSettings.DEFAULTS);
    Write first = Write.of("k", IntNode.valueOf(1)).tags("old").metadata(Map.of("m", "1"));
    written(blackboards.open(scope, "alice").write(first.ttl(Duration.ofHours(1))), 1);
    written(blackboards.open(scope, "bob").write(Write.of("k", IntNode.valueOf(2))), 2);

    Entry entry = get(blackboards.open(scope, "carol").read("k")).orElseThrow();
    assertThat(entry.value()).isEqualTo(IntNode.valueOf(2));
    assertThat(entry.version()).isEqualTo(2);
    assertThat(entry.createdBy()).isEqualTo("alice");
    assertThat(entry.updatedBy()).isEqualTo("bob");
    assertThat(entry.tags()).isEmpty();
    assertThat(entry.metadata()).isEmpty();
    assertThat(entry.expiresAt()).isEmpty();
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
  }

  @Test
  void valueChangedAfterTheWriteIsNotChangedOnTheBoard() {
    Blackboard board = board();
    ObjectNode value = JsonNodeFactory.instance.objectNode().put("n", 1);
    written(board.write(Write.of("k", value)), 1);
    value.put("n", 2);
    assertThat(get(board.read("k")).orElseThrow().value().get("n").asInt()).isEqualTo(1);
  }

  @Test
  void absentEntryIsEmpty() {
    Blackboard board = board();
    assertThat(get(board.read("none"))).isEmpty();
    assertThat(get(board.readAll(List.of("none")))).isEmpty();
    assertThat(get(board.readAll(List.of()))).isEmpty();
    assertThat(get(board.query(Query.keys("*").limit(10))).entries()).isEmpty();
    assertThat(get(board.delete("none"))).isFalse();
  }

  @Test
  void unexpectedVersionChangesNothingAndIsTold() {
    Blackboard board = board();
    assertThat(get(board.write(text("k", "x").expectVersion(1))))
        .isEqualTo(new WriteResult.VersionConflict(0));
    written(board.write(text("k", "1").ifAbsent()), 1);
    written(board.write(text("k", "2").expectVersion(1)), 2);

    assertThat(get(board.write(text("k", "3").ifAbsent())))
        .isEqualTo(new WriteResult.VersionConflict(2));
    assertThat(get(board.write(text("k", "3").expectVersion(1))))
        .isEqualTo(new WriteResult.VersionConflict(2));
    assertThat(get(board.write(text("k", "3").expectVersion(3))))
        .isEqualTo(new WriteResult.VersionConflict(2));
    assertThat(get(board.read("k")).orElseThrow().value()).isEqualTo(TextNode.valueOf("2"));
    Recorder events = Recorder.eager().to(board.subscribe("*", SubscribeFrom.beginning()));
    written(board.write(text("last", "")), 1);
    events.awaitEvent(event -> event.entryKey().orElse("").equals("last"));
    assertThat(events.keys()).containsExactly("k", "k", "last");
  }

  @Test
  void expiredEntryIsNeverVisible() {
    Blackboard board = board();
    written(board.write(text("gone", "x").ttl(Duration.ofMillis(40))), 1);
    written(board.write(text("stays", "x").ttl(Duration.ofHours(1))), 1);
    await().until(() -> get(board.read("gone")).isEmpty());

    assertThat(get(board.readAll(List.of("gone", "stays"))))
        .extracting(Entry::key)
        .containsExactly("stays");
    assertThat(get(board.query(Query.keys("*").limit(10))).entries())
        .extracting(Entry::key)
        .containsExactly("stays");
    assertThat(get(board.delete("gone"))).isFalse();
    written(board.write(text("gone", "y").expectVersion(0)), 1);
    assertThat(get(board.read("gone")).orElseThrow().expiresAt()).isEmpty();
    assertThat(get(board.query(Query.keys("*").limit(10))).entries())
        .extracting(Entry::key)
        .contains("gone");
  }

  @Test
  void expiryThatWasLiftedDoesNotComeLater() {
    Blackboard board = board();
    written(board.write(text("k", "1").ttl(Duration.ofMillis(300))), 1);
    written(board.write(text("witness", "1").ttl(Duration.ofMillis(300))), 1);
    written(board.write(text("k", "2")), 2);
    await().until(() -> get(board.read("witness")).isEmpty());
    assertThat(get(board.read("k"))).isPresent();
  }

  @Test
  void deletedEntryBeginsAnew() {
    Blackboard board = board();
    written(board.write(text("k", "1")), 1);
    written(board.write(text("k", "2")), 2);
    assertThat(get(board.delete("k"))).isTrue();
    assertThat(get(board.delete("k"))).isFalse();
    assertThat(get(board.read("k"))).isEmpty();
    assertThat(get(board.query(Query.keys("*").limit(10))).entries()).isEmpty();
    written(board.write(text("k", "3").ifAbsent()), 1);
  }

  @Test
  void entriesComeInTheOrderAskedFor() {
    Blackboard board = board();
    List.of("a", "b", "c").forEach(key -> written(board.write(text(key, key)), 1));
    assertThat(get(board.readAll(List.of("c", "none", "a", "b"))))
        .extracting(Entry::key)
        .containsExactly("c", "a", "b");
  }

  @Test
  void queryMatchesGlobsInTheOrderOfBytes() {
    Blackboard board = board();
    // U+FF5A sorts before U+1F388 by its bytes, and after it by its UTF-16 characters.
    List<String> keys =
        List.of("finding:1", "finding:10", "finding:2", "finding:a:b", "note", "z\uff5a", "z🎈");
    keys.reversed().forEach(key -> written(board.write(text(key, key)), 1));

    assertThat(queryKeys(board, "*", 100)).isEqualTo(keys);
    assertThat(queryKeys(board, "finding:*", 100)).isEqualTo(keys.subList(0, 4));
    assertThat(queryKeys(board, "finding:?", 100)).containsExactly("finding:1", "finding:2");
    assertThat(queryKeys(board, "*:?", 100))
        .containsExactly("finding:1", "finding:2", "finding:a:b");
    assertThat(queryKeys(board, "z?", 100)).containsExactly("z\uff5a", "z🎈");
    assertThat(queryKeys(board, "note", 100)).containsExactly("note");
    assertThat(queryKeys(board, "not", 100)).isEmpty();
    assertThat(queryKeys(board, "*", 3)).isEqualTo(keys.subList(0, 3));
    assertThatThrownBy(() -> board.query(Query.keys("*").limit(0)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void queryWalksAnyNumberOfKeys() {
    Blackboard board = board();
    List<CompletionStage<WriteResult>> writes =
        IntStream.range(0, 700)
            .mapToObj(n -> board.write(text("k:%03d:%s".formatted(n, n % 7 == 0), "")))
            .toList();
    writes.forEach(BlackboardContract::get);
    assertThat(queryKeys(board, "k:*:true", 1_000)).hasSize(100).isSorted();
    assertThat(queryKeys(board, "*", 650)).hasSize(650).endsWith("k:649:false");
  }

  @Test
  void scopesAreApart() {
    Blackboards blackboards = blackboards(BlackboardSettings.DEFAULTS);
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
      assertThat(queryKeys(board, "*", 10)).containsExactly("k", "namespace:n/k");
    }
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
    assertRefused(() -> board.write(text(key, "")));
    assertRefused(() -> board.send(text(key, ""), "someone"));
    assertRefused(() -> board.read(key));
    assertRefused(() -> board.readAll(List.of("good", key)));
    assertRefused(() -> board.delete(key));
  }

  @Test
  void valueOverTheLimitIsRefusedByName() {
    Blackboard board =
        blackboards(BlackboardSettings.DEFAULTS.withMaxValueBytes(10)).open(scope, "w");
    written(board.write(text("k", "12345678")), 1);
    assertThatThrownBy(() -> board.write(text("k", "123456789")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"k\"")
        .hasMessageContaining("max-value-bytes");
    assertThat(get(board.read("k")).orElseThrow().version()).isEqualTo(1);
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

  @Test
  void concurrentOptimisticWritersLoseNothing() {
    Blackboards blackboards = blackboards(BlackboardSettings.DEFAULTS);
    int writers = 6;
    int each = 25;
    try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      for (int w = 0; w < writers; w++) {
        Blackboard board = blackboards.open(scope, "w" + w);
        threads.execute(() -> IntStream.range(0, each).forEach(n -> increment(board)));
      }
    }
    Entry entry = get(blackboards.open(scope, "r").read("counter")).orElseThrow();
    assertThat(entry.value().asInt()).isEqualTo(writers * each);
    assertThat(entry.version()).isEqualTo(writers * each);
  }

  /** Adds one, however often another writer comes between. */
  protected static void increment(Blackboard board) {
    while (true) {
      Optional<Entry> now = get(board.read("counter"));
      int next = now.map(entry -> entry.value().asInt()).orElse(0) + 1;
      Write write =
          Write.of("counter", IntNode.valueOf(next))
              .expectVersion(now.map(Entry::version).orElse(0L));
      if (get(board.write(write)) instanceof WriteResult.Written) {
        return;
      }
    }
  }

  protected static Write text(String key, String value) {
    return Write.of(key, TextNode.valueOf(value));
  }

  private static List<String> queryKeys(Blackboard board, String glob, int limit) {
    return get(board.query(Query.keys(glob).limit(limit))).entries().stream()
        .map(Entry::key)
        .toList();
  }

  private static void assertRefused(Runnable operation) {
    assertThatThrownBy(operation::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the key \"");
  }
}
