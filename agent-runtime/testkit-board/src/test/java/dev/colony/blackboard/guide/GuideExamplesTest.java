package dev.colony.blackboard.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.blackboard.AccessPolicy.Operation;
import dev.colony.blackboard.AccessRules;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.CommitResult;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.ValueSchemas;
import dev.colony.blackboard.ValueTypes;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.LifecycleSignal;
import dev.colony.blackboard.protocol.LifecycleSignalProtocol;
import dev.colony.blackboard.protocol.RequestProtocol;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The examples of docs/concepts/blackboard.md. What stands between two {@code // guide} marks
 * stands there word for word; {@link GuideTest} compares them.
 */
class GuideExamplesTest {

  private final Blackboards blackboards = new InMemoryBlackboards();
  private final Blackboard board =
      blackboards.open(Scope.colony("acme", "billing").namespace("review"), "reviewer");
  private final Finding finding = new Finding("owasp", 301);

  // guide: finding
  record Finding(String rule, int line) {}

  // guide end

  @AfterEach
  void close() {
    blackboards.close();
  }

  @Test
  void library() {
    List<String> dashboard = new CopyOnWriteArrayList<>();
    // guide: library
    try (Blackboards blackboards = new InMemoryBlackboards()) {
      Blackboard board =
          blackboards.open(Scope.colony("acme", "billing").namespace("review"), "reviewer");

      EventFilter securityFindings = EventFilter.keys("finding:*").and(EventFilter.tag("security"));
      Flow.Subscriber<BlackboardEvent> subscriber = new Printer(dashboard);
      board.subscribe(securityFindings, SubscribeFrom.durable("dashboard")).subscribe(subscriber);

      Finding finding = new Finding("owasp", 301);
      board
          .write(Write.value("finding:42", finding).tags("security").ttl(Duration.ofHours(1)))
          .toCompletableFuture()
          .join();

      long found =
          board
              .transaction(tx ->
                  tx.read("counter", Long.class)
                      .thenApply(count -> count.orElse(0L) + 1)
                      .thenCompose(next -> tx.write("counter", next).thenApply(done -> next)))
              .toCompletableFuture()
              .join();
      // guide pause
      assertThat(found).isEqualTo(1);
      await().untilAsserted(() -> assertThat(dashboard).containsExactly("finding:42"));
      assertThat(board.read("finding:42").toCompletableFuture().join())
          .map(entry -> entry.as(Finding.class))
          .contains(finding);
      assertThat(board.read("counter").toCompletableFuture().join())
          .map(entry -> entry.as(Long.class))
          .contains(1L);
      // guide resume
    }
    // guide end
  }

  // guide: subscriber
  /** Prints the keys of events, one at a time. */
  record Printer(List<String> printed, CompletableFuture<Flow.Subscription> subscription)
      implements BlackboardSubscriber {

    Printer(List<String> printed) {
      this(printed, new CompletableFuture<>());
    }

    @Override
    public void onSubscribe(Flow.Subscription established) {
      subscription.complete(established);
      established.request(1);
    }

    @Override
    public void onNext(BlackboardEvent event) {
      printed.add(event.entryKey().orElse("the whole scope"));
      subscription.join().request(1);
    }

    @Override
    public void onBehind(Position last) {
      printed.add("behind after " + last);
    }

    @Override
    public void onError(Throwable failure) {
      printed.add(failure.getMessage());
    }

    @Override
    public void onComplete() {
      printed.add("closed");
    }
  }

  // guide end

  @Test
  void redis() {
    String url = TestRedis.shared().uri();
    // guide: redis
    try (RedisConnections redis = new RedisConnections(url, Duration.ofSeconds(10));
        Blackboards blackboards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS)) {
      Blackboard board = blackboards.open(Scope.tenant("acme"), "admin");
      // guide pause
      assertThat(board.read("guide").toCompletableFuture().join()).isEmpty();
      // guide resume
    }
    // guide end
  }

  @Test
  void writing() {
    // guide: writing
    WriteResult result =
        board
            .write(
                Write.value("finding:42", finding)
                    .tags("security", "open")
                    .metadata(Map.of("source", "nightly"))
                    .ttl(Duration.ofHours(1))
                    .ifAbsent())
            .toCompletableFuture()
            .join();
    String outcome =
        switch (result) {
          case WriteResult.Written written -> "version " + written.version();
          case WriteResult.VersionConflict conflict -> "it has " + conflict.actualVersion();
        };
    // guide end
    assertThat(outcome).isEqualTo("version 1");

    // guide: writing-all
    CommitResult all =
        board
            .writeAll(
                List.of(
                    Write.value("finding:42", finding).expectVersion(1),
                    Write.value("finding:43", finding)))
            .toCompletableFuture()
            .join();
    // guide end
    assertThat(all).isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void reading() {
    IntStream.range(0, 120)
        .mapToObj(i -> Write.value("finding:" + i, finding).tags("security"))
        .forEach(write -> board.write(write).toCompletableFuture().join());
    // guide: reading
    Optional<Entry> entry = board.read("finding:42").toCompletableFuture().join();
    Optional<Finding> value = entry.map(found -> found.as(Finding.class));

    Query open = Query.keys("finding:*").allTags("security").noTags("closed").limit(50);
    EntryPage page = board.query(open).toCompletableFuture().join();
    while (page.next().isPresent()) {
      page = board.query(open.from(page.next().get())).toCompletableFuture().join();
    }
    // guide end
    assertThat(value).contains(finding);
    assertThat(page.entries()).hasSize(20);
  }

  @Test
  void transaction() {
    board.write(Write.value("account:a", 100L)).toCompletableFuture().join();
    // guide: transaction
    board
        .transaction(tx ->
            tx.read("account:a", Long.class)
                .thenCombine(
                    tx.read("account:b", Long.class), (a, b) -> List.of(a.orElse(0L), b.orElse(0L)))
                .thenCompose(held ->
                    tx.write("account:a", held.get(0) - 10)
                        .thenCompose(done -> tx.write("account:b", held.get(1) + 10))))
        .toCompletableFuture()
        .join();
    // guide end
    assertThat(
            board.readAll(List.of("account:a", "account:b")).toCompletableFuture().join().stream()
                .map(entry -> entry.as(Long.class)))
        .containsExactly(90L, 10L);
  }

  @Test
  void filters() {
    board.write(Write.value("finding:1", finding).tags("security")).toCompletableFuture().join();
    board.write(Write.value("note:1", "x")).toCompletableFuture().join();
    board.delete("finding:1").toCompletableFuture().join();
    // guide: filters
    EventFilter filter =
        EventFilter.keys("finding:*", "verdict:*")
            .and(EventFilter.types(EventType.WRITTEN, EventType.EXPIRED))
            .and(EventFilter.writers("lead").or(EventFilter.tag("security")))
            .and(EventFilter.tag("draft").negate());
    List<BlackboardEvent> stored =
        board.history(filter, Position.BEGINNING, 100).toCompletableFuture().join();
    // guide end
    assertThat(stored)
        .singleElement()
        .satisfies(event -> assertThat(event.entryKey()).contains("finding:1"));
  }

  @Test
  void durable() {
    Position position =
        ((WriteResult.Written)
                board.write(Write.value("finding:1", 1)).toCompletableFuture().join())
            .position();
    // guide: durable
    board.acknowledge("dashboard", position).toCompletableFuture().join();
    board.forget("dashboard").toCompletableFuture().join();
    // guide end
    assertThat(board.statistics().toCompletableFuture().join().subscriptions()).isEmpty();
  }

  @Test
  void policies() throws Exception {
    JsonNode schema = new ObjectMapper().readTree("{\"type\": \"object\"}");
    // guide: policies
    BoardPolicies policies =
        BoardPolicies.NONE
            .access(
                AccessRules.closed()
                    .deny("intern-*", "finding:secret:*")
                    .allow("intern-*", "finding:*", Operation.READ, Operation.WRITE)
                    .allow("lead", "*"))
            .validation(ValueTypes.none().with("finding:*", Finding.class))
            .validation(ValueSchemas.none().with("report:*", schema))
            .eviction(new Eviction(Eviction.Order.LEAST_RECENTLY_USED, 10_000));
    Blackboard interns = blackboards.open(Scope.colony("acme", "billing"), "intern-1", policies);
    // guide end
    interns.write(Write.value("finding:1", finding)).toCompletableFuture().join();
    assertReason(interns.read("finding:secret:1").toCompletableFuture(), Reason.ACCESS_DENIED);
    assertReason(
        interns.write(Write.value("finding:1", "none")).toCompletableFuture(),
        Reason.INVALID_VALUE);
    Blackboard lead = blackboards.open(Scope.colony("acme", "billing"), "lead", policies);
    assertReason(
        lead.write(Write.value("report:1", 1)).toCompletableFuture(), Reason.INVALID_VALUE);
  }

  // guide: protocol
  /** How reviews are asked for on a shared scope. */
  public static final class ReviewProtocol extends RequestProtocol {

    public ReviewProtocol() {
      super("request:review:{agent}:{id}", "result:review:{id}", "event:review:{id}:{name}");
    }
  }

  // guide end

  @Test
  void protocols() {
    // guide: protocols
    ReviewProtocol reviews = new ReviewProtocol();
    String request = reviews.requestKey("reviewer", "r-7"); // request:review:reviewer:r-7
    Optional<String> id = reviews.requestId(request); // r-7
    List<KeyGlob> inputs = reviews.inputPatterns("reviewer"); // request:review:reviewer:*

    LifecycleSignalProtocol signals = new LifecycleSignalProtocol();
    String suspend = signals.signalKey("reviewer", LifecycleSignal.SUSPEND);
    // guide end
    assertThat(request).isEqualTo("request:review:reviewer:r-7");
    assertThat(id).contains("r-7");
    assertThat(inputs).containsExactly(new KeyGlob("request:review:reviewer:*"));
    assertThat(suspend).isEqualTo("signal:agent:reviewer:suspend");
  }

  @Test
  void waking() {
    // guide: waking
    board
        .wakeOn("acme/billing/reviewer", List.of(new KeyGlob("finding:*")))
        .toCompletableFuture()
        .join();
    // guide end
    blackboards
        .open(board.scope(), "somebody")
        .write(Write.value("finding:1", finding))
        .toCompletableFuture()
        .join();

    List<InboxMessage> taken = new CopyOnWriteArrayList<>();
    // guide: inbox
    Inbox inbox = blackboards.inbox();
    for (int bucket = 0; bucket < inbox.buckets(); bucket++) {
      List<InboxMessage> messages = inbox.pending(bucket, 100).toCompletableFuture().join();
      for (InboxMessage message : messages) {
        switch (message) {
          case InboxMessage.Request request -> taken.add(request);
          case InboxMessage.Wake wake -> taken.add(wake);
        }
      }
      inbox.acknowledge(bucket, messages).toCompletableFuture().join();
    }
    // guide end
    assertThat(taken)
        .singleElement()
        .isInstanceOfSatisfying(
            InboxMessage.Wake.class,
            wake -> assertThat(wake.recipient()).isEqualTo("acme/billing/reviewer"));
  }

  @Test
  void failures() {
    // guide: failures
    try {
      board.write(Write.value("finding:42", finding)).toCompletableFuture().join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof BlackboardException failure && failure.retryable()) {
        board.write(Write.value("finding:42", finding)).toCompletableFuture().join();
      }
    }
    // guide end
    assertThat(board.read("finding:42").toCompletableFuture().join()).isPresent();
  }

  private static void assertReason(CompletableFuture<?> call, Reason reason) {
    assertThatThrownBy(call::join)
        .cause()
        .isInstanceOfSatisfying(
            BlackboardException.class, failure -> assertThat(failure.reason()).isEqualTo(reason));
  }
}
