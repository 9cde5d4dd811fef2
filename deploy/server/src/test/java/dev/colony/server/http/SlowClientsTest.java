package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Clients that are slow on purpose, or half gone. */
class SlowClientsTest extends ServedApi {

  private static final String RUNS = ApiRig.COLONY + "/agents/a/runs";
  private static final String UNENDING =
      "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".formatted(RUNS)
          + "Content-Length: 1000\r\n\r\n{";
  private static final int MANY = 400;
  private static final Duration DRIP = Duration.ofMillis(50);

  @Override
  Map<String, ?> settings() {
    return Map.of(
        "request.idle", "20s",
        "request.head", "1s",
        "request.body-time", "1s",
        "connections", 20,
        "streams.heartbeat", "100ms",
        "streams.slow-reader", "1s");
  }

  @Test
  void aHeadThatNeverEndsIsNotWaitedFor() {
    try (RawClient raw = raw()) {
      assertThat(drip(raw.send("GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\nX: "))).isEmpty();
    }
  }

  @Test
  void aConnectionOverWhichNothingComesIsClosed() {
    try (RawClient raw = raw()) {
      assertThat(raw.readToEnd()).isEmpty();
    }
  }

  @Test
  void norIsASecondHeadOnTheSameConnection() {
    try (RawClient raw = raw()) {
      raw.send("GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\n\r\nGET /v1/cl");
      assertThat(drip(raw)).startsWith("HTTP/1.1 200 OK").containsOnlyOnce("HTTP/1.1");
    }
  }

  @Test
  void aBodyThatNeverEndsIsAnsweredAndNotWaitedFor() {
    try (RawClient raw = raw()) {
      raw.send(UNENDING);
      assertThat(raw.readToEnd()).startsWith("HTTP/1.1 408 ").contains("request-timeout");
    }
  }

  @Test
  void norOneThatComesBitByBit() {
    try (RawClient raw = raw()) {
      // What is sent after the server has closed may take its answer along.
      assertThat(drip(raw.send(UNENDING))).doesNotContain("HTTP/1.1 2");
    }
  }

  @Test
  void norOneThatIsRefusedBeforeItIsRead() {
    try (RawClient raw = raw()) {
      raw.send(
          "POST /nowhere HTTP/1.1\r\n"
              + "Host: localhost\r\n"
              + "Content-Type: application/json\r\n"
              + "Content-Length: 1000\r\n\r\n"
              + "{");
      assertThat(drip(raw)).startsWith("HTTP/1.1 404 ");
    }
  }

  @Test
  void oneWhoSaysThatNothingMoreWillComeIsAnsweredAndEnds() {
    try (RawClient raw = raw()) {
      raw.send("GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\n\r\n").end();
      assertThat(raw.readToEnd()).startsWith("HTTP/1.1 200 OK");
    }
    try (RawClient raw = raw()) {
      raw.send("GET /v1/cluster HTT").end();
      assertThat(raw.readToEnd()).doesNotContain(" 500 ");
    }
  }

  @Test
  void slowClientsDoNotKeepOthersOutForLong() {
    List<RawClient> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
        slow.add(raw().send("GET /v1/cluster HTTP/1.1\r\nX"));
      }
      ApiClient.of(api).get("/v1/cluster").is(200);
    } finally {
      slow.forEach(RawClient::close);
    }
  }

  @Test
  void aReaderWhoTakesNothingIsCutOffAndCostsABoundedAmount() {
    Scope scope = Scope.colony("acme", "c-" + UUID.randomUUID());
    Blackboards blackboards = rig.client().blackboards();
    Blackboard board = blackboards.open(scope, "tester");
    long before = blackboards.counters().events();
    try (RawClient raw = raw()) {
      raw.send(
          "GET /v1/tenants/acme/board/events?scope=%s&from=beginning HTTP/1.1\r\nHost: localhost\r\n\r\n"
              .formatted(scope));
      Write large = Write.of("k", TextNode.valueOf("x".repeat(100_000)));
      for (int i = 0; i < MANY; i++) {
        board.write(large).toCompletableFuture().join();
      }
      await().atMost(ApiClient.LONGEST).until(() -> !raw.takes("x"));
    }
    assertThat(blackboards.counters().events() - before).isLessThan(MANY);
  }

  private RawClient raw() {
    return new RawClient(api.uri(), ApiClient.LONGEST);
  }

  /** Sends a byte now and then, until the server has had enough; gives what it said. */
  private static String drip(RawClient raw) {
    CompletableFuture<String> read = CompletableFuture.supplyAsync(raw::readToEnd);
    await()
        .atMost(ApiClient.LONGEST)
        .pollInterval(DRIP)
        .until(() -> {
          raw.send("x");
          return read.isDone();
        });
    try {
      return read.join();
    } catch (UncheckedIOException failure) {
      assertThat(failure.getCause()).isNotInstanceOf(SocketTimeoutException.class);
      throw failure;
    }
  }
}
