package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Large values lie in a folder; a reader notices nothing of it. */
class BoardPayloadsTest {

  private static final Scope SCOPE = Scope.session("acme", "lab", "s");
  private static final String LARGE = "x".repeat(PayloadVault.THRESHOLD);

  @TempDir private Path folder;
  private final TestServer server = TestServer.start();
  private final RedisConnections redis = new RedisConnections(server.uri(), Duration.ofSeconds(20));
  private RedisBlackboards boards;
  private Blackboard board;

  @BeforeEach
  void open() {
    boards = boards(new PayloadSettings("file:" + folder, "", "r"));
    board = boards.open(SCOPE, "writer");
  }

  @AfterEach
  void close() {
    boards.close();
    redis.close();
    server.close();
  }

  @Test
  void aLargeValueLiesOutsideAndIsRead() throws IOException {
    get(board.write(Write.value("large", LARGE)));
    get(board.write(Write.value("small", "s")));
    assertThat(get(board.read("large")).orElseThrow().value().asText()).isEqualTo(LARGE);
    assertThat(get(board.readAll(List.of("small", "none", "large"))))
        .extracting(entry -> entry.value().asText())
        .containsExactly("s", LARGE);
    assertThat(get(board.query(Query.keys("*"))).entries())
        .extracting(entry -> entry.value().asText())
        .containsExactly(LARGE, "s");
    assertThat(payloads()).hasSize(1);
    assertThat(usedByScope()).isLessThan(10_000);
  }

  @Test
  void eachWriteHasItsPayload() throws IOException {
    get(board.write(Write.value("key", LARGE + 1)));
    get(board.write(Write.value("key", LARGE + 2)));
    get(board.write(Write.value("key", LARGE + 1)));
    assertThat(payloads()).hasSize(3);
    assertThat(get(board.read("key")).orElseThrow().version()).isEqualTo(3);
    assertThat(get(board.history(EventFilter.all(), Position.BEGINNING, 10)))
        .extracting(event -> ((BlackboardEvent.Written) event).value().asText())
        .containsExactly(LARGE + 1, LARGE + 2, LARGE + 1);
  }

  @Test
  void subscribersGetLargeValuesInTheirOrder() {
    List<String> heard = new CopyOnWriteArrayList<>();
    board.subscribe(EventFilter.all(), SubscribeFrom.now()).subscribe(new Hearing(heard));
    await().until(() -> heard.contains("subscribed"));
    for (int i = 0; i < 10; i++) {
      get(board.write(Write.value("k" + i, i % 3 == 0 ? LARGE + i : "" + i)));
    }
    await()
        .untilAsserted(() ->
            assertThat(heard)
                .containsExactly(
                    "subscribed",
                    LARGE + 0,
                    "1",
                    "2",
                    LARGE + 3,
                    "4",
                    "5",
                    LARGE + 6,
                    "7",
                    "8",
                    LARGE + 9));
  }

  @Test
  void transactionsReadAndWriteThem() {
    get(board.write(Write.value("a", LARGE)));
    get(
        board.transaction(tx ->
            tx.read("a")
                .thenCompose(found ->
                    tx.write(Write.value("b", found.orElseThrow().value().asText() + "b")))));
    assertThat(get(board.read("b")).orElseThrow().value().asText()).isEqualTo(LARGE + "b");
  }

  @Test
  void pagesOfAQueryAndOfEventsAreOfBoundedSizeAndComplete() {
    String mega = "x".repeat(8 << 20);
    int count = 10;
    for (int i = 0; i < count; i++) {
      get(board.write(Write.value("k" + i, mega + i)));
    }
    List<String> found = new ArrayList<>();
    Optional<Query.Cursor> from = Optional.empty();
    int pages = 0;
    do {
      Query query = Query.keys("*").limit(1_000);
      var page = get(board.query(from.map(query::from).orElse(query)));
      assertThat(page.entries().size()).isBetween(1, 4);
      page.entries().forEach(entry -> found.add(entry.key()));
      from = page.next();
      pages++;
    } while (from.isPresent());
    assertThat(found).hasSize(count).doesNotHaveDuplicates();
    assertThat(pages).isGreaterThan(2);
    assertThat(get(board.history(EventFilter.all(), Position.BEGINNING, count))).hasSize(count);
  }

  @Test
  void whatGoesToAnInboxStaysInline() throws IOException {
    get(board.send(Write.value("request", LARGE), "agent"));
    assertThat(payloads()).isEmpty();
    int bucket = InboxBucket.of(SCOPE, boards.inbox().buckets());
    assertThat(get(boards.inbox().pending(bucket, Optional.empty(), 10)))
        .singleElement()
        .isInstanceOfSatisfying(
            InboxMessage.Request.class,
            request -> assertThat(request.value()).isEqualTo(TextNode.valueOf(LARGE)));
  }

  @Test
  void whatIsLostIsNamedAndCanBeWrittenAnew() throws IOException {
    get(board.write(Write.value("key", LARGE)));
    for (Path payload : payloads()) {
      Files.delete(payload);
    }
    assertThatThrownBy(() -> get(board.read("key")))
        .hasCauseInstanceOf(BlackboardException.class)
        .hasMessageContaining("the value of \"key\" in " + SCOPE)
        .hasMessageContaining("is missing in file:" + folder);
    List<String> heard = new CopyOnWriteArrayList<>();
    board.subscribe(EventFilter.all(), SubscribeFrom.beginning()).subscribe(new Hearing(heard));
    await()
        .untilAsserted(() -> assertThat(heard).last().asString().contains("is missing in file:"));
    get(board.write(Write.value("key", LARGE + "new")));
    assertThat(get(board.read("key")).orElseThrow().value().asText()).isEqualTo(LARGE + "new");
  }

  @Test
  void aReaderWithoutTheStoreIsToldTheSetting() {
    get(board.write(Write.value("key", LARGE)));
    try (RedisBlackboards others = boards(new PayloadSettings("", "", "r"))) {
      Blackboard other = others.open(SCOPE, "reader");
      assertThatThrownBy(() -> get(other.read("key")))
          .hasMessageContaining("colony.payloads.store has to name it");
    }
  }

  /** As long as an entry or an event refers to it, and a day more. */
  @Test
  void whatNothingRefersToGoes() throws Exception {
    get(board.write(Write.value("stays", LARGE)));
    get(board.write(Write.value("goes", LARGE)));
    get(board.delete("goes"));
    sweep();
    // A day later, as far as marks tell; the event is from before.
    Instant found = boards.clock().instant().plusSeconds(1).truncatedTo(ChronoUnit.SECONDS);
    mark(found.minus(PayloadVault.KEPT));
    await().until(() -> boards.clock().instant().isAfter(found));
    sweep();
    assertThat(payloads()).as("its event is stored").hasSize(2);
    get(redis.commands().del("colony:{inbox-" + bucket() + "}:" + SCOPE.path() + "/events"));
    sweep();
    assertThat(payloads()).hasSize(1);
    assertThat(get(board.read("stays")).orElseThrow().value().asText()).isEqualTo(LARGE);
  }

  private int bucket() {
    return InboxBucket.of(SCOPE, boards.inbox().buckets());
  }

  /** Says since when it is known what is unused. */
  private void mark(Instant since) throws IOException {
    for (Path mark : files(name -> name.contains(".unused-"))) {
      String name = mark.getFileName().toString();
      Files.move(
          mark,
          mark.resolveSibling(
              name.substring(0, name.lastIndexOf('-') + 1) + since.getEpochSecond()));
    }
  }

  private void sweep() {
    Optional<String> place = Optional.empty();
    do {
      place = get(boards.sweepPayloads(place)).next();
    } while (place.isPresent());
  }

  private List<Path> payloads() throws IOException {
    return files(name -> name.matches("[0-9a-f]{32}-[0-9a-f]{64}"));
  }

  private List<Path> files(Predicate<String> names) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> names.test(file.getFileName().toString())).toList();
    }
  }

  private long usedByScope() {
    return get(redis.commands().keys("*" + SCOPE.path() + "*")).stream()
        .mapToLong(key -> get(redis.commands().memoryUsage(key)))
        .sum();
  }

  private RedisBlackboards boards(PayloadSettings payloads) {
    return new RedisBlackboards(redis, BlackboardSettings.DEFAULTS.withPayloads(payloads));
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  /** Notes the values that it hears of. */
  private record Hearing(List<String> heard) implements Flow.Subscriber<BlackboardEvent> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      heard.add("subscribed");
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(BlackboardEvent event) {
      heard.add(((BlackboardEvent.Written) event).value().asText());
    }

    @Override
    public void onError(Throwable failure) {
      heard.add("failed: " + failure);
    }

    @Override
    public void onComplete() {}
  }
}
