package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.server.Principal.Role;
import dev.colony.server.http.RequestRates.RequestTiming;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the API tells of what it does. */
class ApiListenerTest {

  private static final String WATCH = "/v1/tenants/acme/board/events?scope=tenant:acme";

  @TempDir private Path folder;

  private final Heard heard = new Heard();

  /** Keeps what it is told. */
  private static final class Heard implements ApiListener {

    final List<String> answers = new CopyOnWriteArrayList<>();
    final List<String> problems = new CopyOnWriteArrayList<>();
    final AtomicInteger worked = new AtomicInteger();
    final AtomicInteger atWork = new AtomicInteger();
    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger streams = new AtomicInteger();

    @Override
    public void answered(Optional<String> operation, int status, Duration took) {
      assertThat(took).isPositive();
      answers.add(operation.orElse("none") + " " + status);
    }

    @Override
    public void problem(String code) {
      problems.add(code);
    }

    @Override
    public void workBegun() {
      worked.incrementAndGet();
      atWork.incrementAndGet();
    }

    @Override
    public void workEnded() {
      atWork.decrementAndGet();
    }

    @Override
    public void connected() {
      connections.incrementAndGet();
    }

    @Override
    public void disconnected() {
      connections.decrementAndGet();
    }

    @Override
    public void streamOpened() {
      streams.incrementAndGet();
    }

    @Override
    public void streamClosed() {
      streams.decrementAndGet();
    }
  }

  @Test
  void itTellsOfEachAnswerAndEachProblemOnce() {
    try (ApiRig rig = new ApiRig();
        HttpApi api = rig.start(ApiRig.keys(folder, List.of()), Map.of(), heard)) {
      ApiClient keyless = ApiClient.of(api);
      ApiClient viewer = keyless.key(ApiRig.key(Role.VIEWER));
      keyless.get("/v1/cluster").is(401);
      viewer.get("/v1/nothing").is(404);
      viewer.get("/v1/cluster").is(403);
      viewer.get(ApiRig.COLONY + "/agents").is(200);
      viewer.get(ApiRig.COLONY + "/agents?limit=x").is(400);
      viewer.post(ApiRig.COLONY + "/agents/a/stop", "{}").is(403);
      assertThat(heard.answers)
          .containsExactly(
              "none 401",
              "none 404",
              "getCluster 403",
              "listAgents 200",
              "listAgents 400",
              "stopAgent 403");
      assertThat(heard.worked.get()).as("only what was let in").isEqualTo(2);
      assertThat(heard.atWork.get()).as("whatever came of it").isZero();
      assertThat(heard.problems)
          .containsExactly("no-key", "not-found", "forbidden", "bad-request", "forbidden");
    }
  }

  @Test
  void itTellsOfStreamsAndConnectionsAsTheyComeAndGo() {
    try (ApiRig rig = new ApiRig();
        HttpApi api =
            rig.start(
                ApiRig.keys(folder, List.of()),
                Map.of("streams.heartbeat", "100ms", "streams.per-key", 1),
                heard)) {
      ApiClient viewer = ApiClient.of(api).key(ApiRig.key(Role.VIEWER));
      try (Stream<String> lines = viewer.stream(WATCH, Map.of())) {
        assertThat(lines.iterator().next()).startsWith("id: ");
        await().until(() -> heard.streams.get() == 1);
        assertThat(heard.connections.get()).isPositive();
        viewer.get(WATCH).problem(429, "too-many-requests");
        assertThat(heard.problems).containsExactly("too-many-requests");
      }
      await().until(() -> heard.streams.get() == 0);
      assertThat(heard.answers).containsExactly("watchScope 200", "watchScope 429");
    }
    await().until(() -> heard.connections.get() == 0);
  }

  @Test
  void whatIsAnsweredTwiceIsToldOnce() {
    RequestTiming timing = new RequestTiming(heard);
    timing.answered(HttpResponse.create().withStatus(503));
    timing.answered(HttpResponse.create().withStatus(200));
    assertThat(heard.answers).containsExactly("none 503");
  }
}
