package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.Config;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.node.Started;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.Node;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Hundreds of streams of events from one node, some of whose readers take nothing. */
@Tag("faults")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyStreamsTest {

  private static final int RUNS = 30;
  private static final int READERS = 10;
  private static final int STEPS = 20;
  private static final Executor THREADS = task -> Thread.ofVirtual().start(task);

  private static final String ORDER =
      """
      {"agent": {"name": "teller-%d", "blueprint": {
         "policy": {"type": "chaos.teller"},
         "capabilities": [{"type": "chaos.voice", "key": "voice"}]}},
       "input": {"steps": %d, "millis": 20}, "namespace": "work"}
      """;

  @TempDir private Path folder;

  private final Started started = new Started();
  private ApiClient client;
  private Node node;
  private URI api;
  private Blackboards boards;

  @BeforeEach
  void start() {
    Config config =
        LocalNodes.config(
            """
            colony.http {
              rate { per-second = 10000, burst = 20000 }
            }
            """);
    RedisServerProcess redis = LocalNodes.redis(started, config, folder);
    RedisConnections connections =
        started.add(new RedisConnections(redis.uri(), Duration.ofSeconds(20)));
    boards = started.add(new RedisBlackboards(connections, BlackboardSettings.fromConfig(config)));
    node =
        started.add(
            Node.start(LocalNodes.options(1, redis.uri(), OptionalInt.of(0)).getFirst(), config));
    api = URI.create(node.api());
    client = ApiClient.at(api);
  }

  @AfterEach
  void end() {
    started.close();
  }

  @Test
  void threeHundredStreamsOfRunsUnderWayBringEachEventOnceAndTheEnd() {
    List<List<CompletableFuture<List<Event>>>> readers = new ArrayList<>();
    long began = System.nanoTime();
    for (int i = 0; i < RUNS; i++) {
      String run =
          client
              .post(ApiRig.COLONY + "/runs", ORDER.formatted(i, STEPS))
              .is(202)
              .headers()
              .get("Location");
      String events = run.replace("?", "/events?");
      readers.add(
          IntStream.range(0, READERS)
              .mapToObj(reader -> all(client.stream(events, Map.of())))
              .toList());
    }
    for (List<CompletableFuture<List<Event>>> ofOneRun : readers) {
      List<List<Event>> seen = ofOneRun.stream().map(CompletableFuture::join).toList();
      assertThat(seen).allMatch(events -> events.equals(seen.getFirst()));
      assertThat(seen.getFirst()).hasSize(STEPS + 1).extracting(Event::id).doesNotHaveDuplicates();
      assertThat(seen.getFirst().getLast())
          .matches(last -> last.name().equals("end"))
          .extracting(last -> last.data().findPath("status").asText())
          .isEqualTo("COMPLETED");
    }
    System.out.printf(
        "%d streams of %d runs: %d ms, %d events each%n",
        RUNS * READERS,
        RUNS,
        (System.nanoTime() - began) / 1_000_000,
        readers.getFirst().getFirst().join().size());
  }

  /** They are cut off, come back, and get the rest; readers beside them miss nothing meanwhile. */
  @Test
  void readersThatTakeNothingHoldUpNoOtherAndGetTheRestWhenTheyComeBack() {
    int events = 300;
    Scope scope = Scope.colony("acme", "c-" + UUID.randomUUID());
    String path = "/v1/tenants/acme/board/events?scope=" + scope + "&from=beginning";
    List<RawClient> stalled = new ArrayList<>();
    List<CompletableFuture<List<Integer>>> quick = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      stalled.add(
          new RawClient(api, ApiClient.LONGEST)
              .send("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path)));
      Stream<String> lines = client.stream(path, Map.of());
      quick.add(CompletableFuture.supplyAsync(() -> first(events, lines), THREADS));
    }
    Blackboard board = boards.open(scope, "tester");
    for (int i = 0; i < events; i++) {
      Write large = Write.of("k" + i, TextNode.valueOf("x".repeat(100_000)));
      board.write(large).toCompletableFuture().join();
    }
    List<Integer> all = IntStream.range(0, events).boxed().toList();
    quick.forEach(reader -> assertThat(reader.join()).isEqualTo(all));
    await()
        .atMost(ApiClient.LONGEST)
        .until(() -> node.metrics().text().lines().anyMatch("colony_http_streams 0.0"::equals));
    for (RawClient one : stalled) {
      List<Event> had;
      try (one) {
        had = Event.all(unchunked(one.readToEnd()).lines());
      }
      assertThat(had).hasSizeBetween(1, events - 1);
      Stream<String> lines =
          client.stream(
              path.replace("&from=beginning", ""), Map.of("Last-Event-ID", had.getLast().id()));
      List<Integer> numbers = new ArrayList<>(had.stream().map(ManyStreamsTest::number).toList());
      numbers.addAll(first(events - had.size(), lines));
      assertThat(numbers).isEqualTo(all);
    }
  }

  private static CompletableFuture<List<Event>> all(Stream<String> lines) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (lines) {
            return Event.all(lines);
          }
        },
        THREADS);
  }

  /** The numbers of so many events, the first of a stream. */
  private static List<Integer> first(int count, Stream<String> lines) {
    List<Integer> numbers = new ArrayList<>();
    try (lines) {
      Iterator<String> each = lines.iterator();
      while (numbers.size() < count) {
        String line = each.next();
        if (line.startsWith("data: ")) {
          numbers.add(number(ApiClient.parse(line.substring(6))));
        }
      }
    }
    return numbers;
  }

  private static int number(Event event) {
    return number(event.data());
  }

  private static int number(JsonNode event) {
    return Integer.parseInt(event.path("key").asText().substring(1));
  }

  /** The body of an answer in chunks, without one that was cut off. */
  private static String unchunked(String answer) {
    StringBuilder body = new StringBuilder();
    int at = answer.indexOf("\r\n\r\n") + 4;
    while (at < answer.length()) {
      int line = answer.indexOf("\r\n", at);
      int end = line < 0 ? -1 : line + 2 + Integer.parseInt(answer.substring(at, line), 16);
      if (end < 0 || end > answer.length() || end == line + 2) {
        return body.toString();
      }
      body.append(answer, line + 2, end);
      at = end + 2;
    }
    return body.toString();
  }
}
