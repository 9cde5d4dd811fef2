package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.server.http.ApiClient.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that no client would make: none is a fault of ours, none tells of our insides, none
 * stays, and everything answers afterwards. {@code -Dfuzz.seed=N} makes the same ones again.
 */
class FuzzTest extends ServedApi {

  private static final int CLIENTS = 32;
  private static final long MOST_GROWTH = 64L << 20;
  private static final Pattern STATUS = Pattern.compile("(?m)^HTTP/1\\.[01] (\\d{3}) ");
  private static final Pattern INSIDES =
      Pattern.compile("\\tat |Exception|java\\.|scala\\.|org\\.apache|NullPointer");

  @Override
  Map<String, ?> settings() {
    return Map.of(
        "rate.per-second", 1_000_000,
        "rate.burst", 1_000_000,
        "rate.without-key", 1_000_000,
        "request.head", "1s",
        "request.body-time", "500ms",
        "request.held", "0s",
        "request.body", "64 KiB",
        "streams.longest", "1s",
        "streams.heartbeat", "200ms");
  }

  @ParameterizedTest
  @ValueSource(ints = 1_500)
  void nothingOfIt(int requests) throws Exception {
    fuzz(requests);
  }

  @ParameterizedTest
  @Tag("faults")
  @ValueSource(ints = 10_000)
  void nothingOfManyMore(int requests) throws Exception {
    fuzz(requests);
  }

  private void fuzz(int requests) throws Exception {
    long seed = Long.getLong("fuzz.seed", System.nanoTime());
    System.out.println("fuzz.seed = " + seed);
    RunId run = new RunId("known");
    AgentId agent = rig.agent();
    rig.complete(agent, run, IntNode.valueOf(1));
    List<Endpoint> endpoints = OpenApiTest.endpoints();
    flood(new Fuzz(seed - 1, endpoints, agent.name()), requests / 10);
    long before = used();
    Map<Integer, Integer> statuses = flood(new Fuzz(seed, endpoints, agent.name()), requests);
    System.out.println("answers by status: " + statuses);
    assertThat(used() - before).as("bytes of heap that stayed").isLessThan(MOST_GROWTH);
    assertThat(statuses.keySet()).contains(200, 202, 400, 404, 405, 415);
    everythingAnswers(endpoints, agent.name());
  }

  private Map<Integer, Integer> flood(Fuzz fuzz, int requests) throws Exception {
    Map<Integer, Integer> statuses = new java.util.concurrent.ConcurrentSkipListMap<>();
    try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < requests; i++) {
        byte[] request = fuzz.next();
        all.add(clients.submit(() -> one(request, statuses)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    return statuses;
  }

  private void one(byte[] request, Map<Integer, Integer> statuses) {
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      String answer = raw.send(request).end().readToEnd();
      String shown =
          new String(request, java.nio.charset.StandardCharsets.ISO_8859_1) + "\n->\n" + answer;
      STATUS
          .matcher(answer)
          .results()
          .map(found -> Integer.parseInt(found.group(1)))
          .forEach(status -> {
            assertThat(status).as(shown).isNotIn(500, 501, 502);
            statuses.merge(status, 1, Integer::sum);
          });
      String ours = answer.replace(Fuzz.FOREIGN_TYPE, "");
      assertThat(INSIDES.matcher(ours).find()).as(shown).isFalse();
    }
  }

  private void everythingAnswers(List<Endpoint> endpoints, String agent) {
    for (Endpoint endpoint : endpoints) {
      if (endpoint.operationId().matches("followRun|watchScope")) {
        continue;
      }
      String path =
          endpoint
              .path()
              .text()
              .replace("{tenant}", ApiRig.TENANT)
              .replace("{colony}", "billing")
              .replace("{agent}", agent)
              .replace("{sequenceNr}", "1")
              .replaceAll("\\{\\w+\\}", "x");
      Reply reply = client.send(endpoint.verb().name(), path, "", Map.of());
      assertThat(reply.status()).as(endpoint.operationId()).isLessThan(500);
    }
  }

  private static long used() throws InterruptedException {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
