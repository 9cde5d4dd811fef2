package dev.colony.inference.replicas;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import dev.colony.inference.replicas.ReplicaHealth.CircuitBreaker;
import dev.colony.inference.replicas.ReplicaSet.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** Replicas that come, go, fail and tell, as scripted servers. */
class ReplicaMonitorTest {

  /** A server that answers its checks with a status of the test's choice. */
  private static final class Server {
    final HttpServer http;
    final AtomicInteger asked = new AtomicInteger();
    volatile int status = 200;
    volatile String metrics = "vllm:num_requests_running 2\nvllm:num_requests_waiting 5\n";

    Server() throws IOException {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      answers("/health", () -> "");
      answers("/metrics", () -> metrics);
      http.start();
    }

    private void answers(String path, java.util.function.Supplier<String> body) {
      http.createContext(
          path,
          exchange -> {
            asked.incrementAndGet();
            byte[] bytes = body.get().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
          });
    }

    URI uri() {
      return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/v1");
    }

    String id() {
      return uri().getRawAuthority();
    }
  }

  private final List<Server> servers = new ArrayList<>();
  private final Map<String, EngineLoad> loads = new ConcurrentHashMap<>();
  private final List<KvEvent> cached = new CopyOnWriteArrayList<>();
  private final List<String> restarts = new CopyOnWriteArrayList<>();
  private volatile List<ReplicaSource.Address> listed = List.of();
  private volatile boolean unknown;
  private ReplicaMonitor monitor;

  private Server server() throws IOException {
    Server server = new Server();
    servers.add(server);
    return server;
  }

  private void watch() {
    ReplicaHealth.Settings health =
        new ReplicaHealth.Settings(
            3,
            2,
            Duration.ZERO,
            new CircuitBreaker.Settings(2, Duration.ofSeconds(5), Duration.ofMinutes(2), 2));
    monitor =
        ReplicaMonitor.start(
            "",
            ReplicaSettings.fromConfig(config()),
            ReplicaMonitor.Bounds.USUAL.every(Duration.ofMillis(20)).judging(health),
            Optional.of(() -> {
              if (unknown) {
                throw new IOException("the list cannot be read");
              }
              return listed;
            }),
            List::<Replica>of);
    monitor.listen(
        new ReplicaMonitor.Listener() {
          @Override
          public void load(String replica, EngineLoad load) {
            loads.put(replica, load);
          }

          @Override
          public void events(String replica, List<KvEvent> events) {
            cached.addAll(events);
          }

          @Override
          public void restarted(String replica) {
            restarts.add(replica);
          }
        });
  }

  @AfterEach
  void close() {
    monitor.close();
    servers.forEach(server -> server.http.stop(0));
  }

  private void until(org.awaitility.core.ThrowingRunnable assertion) {
    await().atMost(Duration.ofSeconds(20)).untilAsserted(assertion);
  }

  private boolean available(Server server) {
    return monitor.access(server.id(), false, 0).available();
  }

  private static List<String> ids(Collection<Replica> replicas) {
    return replicas.stream().map(Replica::id).toList();
  }

  @Test
  void replicasAreThoseThatTheSourceLists() throws Exception {
    Server one = server();
    Server two = server();
    listed = List.of(ReplicaSource.Address.of(one.uri()));
    watch();
    assertThat(ids(monitor.replicas())).containsExactly(one.id());
    listed = List.of(ReplicaSource.Address.of(one.uri()), ReplicaSource.Address.of(two.uri()));
    until(() -> assertThat(ids(monitor.replicas())).containsExactlyInAnyOrder(one.id(), two.id()));
    listed = List.of(ReplicaSource.Address.of(two.uri()));
    until(() -> assertThat(ids(monitor.replicas())).containsExactly(two.id()));
    assertThat(monitor.status()).containsOnlyKeys(two.id());
  }

  @Test
  void whereTheListCannotBeReadThoseKnownStay() throws Exception {
    Server one = server();
    listed = List.of(ReplicaSource.Address.of(one.uri()));
    watch();
    unknown = true;
    listed = List.of();
    until(() -> assertThat(loads).containsKey(one.id()));
    loads.clear();
    until(() -> assertThat(loads).containsKey(one.id()));
    assertThat(ids(monitor.replicas())).containsExactly(one.id());
  }

  @Test
  void aReplicaThatFailsItsChecksIsNotCalledUntilItPassesThem() throws Exception {
    Server one = server();
    listed = List.of(ReplicaSource.Address.of(one.uri()));
    watch();
    assertThat(available(one)).isTrue();
    one.status = 503;
    until(() -> assertThat(available(one)).isFalse());
    assertThat(monitor.status()).containsEntry(one.id(), "unhealthy");
    // alive, and without a path for checks
    one.status = 404;
    until(() -> assertThat(available(one)).isTrue());
    one.http.stop(0);
    until(() -> assertThat(available(one)).isFalse());
  }

  @Test
  void aReplicaThatDrainsIsListedAndNotCalled() throws Exception {
    Server one = server();
    listed = List.of(ReplicaSource.Address.of(one.uri()));
    watch();
    listed = List.of(new ReplicaSource.Address(one.uri(), true));
    until(() -> assertThat(available(one)).isFalse());
    assertThat(ids(monitor.replicas())).containsExactly(one.id());
    assertThat(monitor.status()).containsEntry(one.id(), "draining");
  }

  @Test
  void callsThatFailOpenItsCircuit() throws Exception {
    Server one = server();
    listed = List.of(ReplicaSource.Address.of(one.uri()));
    watch();
    monitor.sent(one.id());
    monitor.ended(one.id(), Outcome.FAILED);
    monitor.sent(one.id());
    monitor.ended(one.id(), Outcome.SUCCEEDED);
    monitor.sent(one.id());
    monitor.ended(one.id(), Outcome.FAILED);
    assertThat(available(one)).isTrue();
    monitor.sent(one.id());
    monitor.ended(one.id(), Outcome.FAILED);
    assertThat(available(one)).isFalse();
    assertThat(monitor.status()).containsEntry(one.id(), "circuit open");
  }

  @Test
  void aHostedServiceIsAskedForNothingAndJudgedByItsCalls() throws Exception {
    Server hosted = server();
    Server engine = server();
    listed =
        List.of(ReplicaSource.Address.of(hosted.uri()), ReplicaSource.Address.of(engine.uri()));
    watch();
    monitor.judgeByCalls(hosted.uri()::equals);
    until(() -> assertThat(loads).containsKey(engine.id()));
    int before = hosted.asked.get();
    int rounds = engine.asked.get();
    until(() -> assertThat(engine.asked).hasValueGreaterThan(rounds + 10));
    assertThat(hosted.asked.get() - before).as("rounds that had begun before").isLessThan(3);
    assertThat(available(hosted)).isTrue();
    for (int i = 0; i < 2; i++) {
      monitor.sent(hosted.id());
      monitor.ended(hosted.id(), Outcome.FAILED);
    }
    assertThat(available(hosted)).isFalse();
    assertThat(monitor.status()).containsEntry(hosted.id(), "circuit open");
  }

  @Test
  void itsLoadIsReadWithinBounds() throws Exception {
    Server one = server();
    Server other = server();
    other.metrics =
        "x".repeat(5_000_000) + "\nvllm:num_requests_running 1\nvllm:num_requests_waiting 1\n";
    listed = List.of(ReplicaSource.Address.of(one.uri()), ReplicaSource.Address.of(other.uri()));
    watch();
    until(() -> assertThat(loads).containsKey(one.id()));
    assertThat(loads.get(one.id()).waiting()).isEqualTo(5);
    one.metrics = "vllm:num_requests_running 0\nvllm:num_requests_waiting 0\n";
    until(() -> assertThat(loads.get(one.id()).waiting()).isZero());
    assertThat(loads).doesNotContainKey(other.id());
  }

  @Test
  void aRestartIsKnownByTheStartOfTheProcessAndADeadServerByItsSilence() throws Exception {
    Server server = server();
    listed = List.of(new ReplicaSource.Address(server.uri(), false));
    watch();
    String figures = server.metrics;
    server.metrics = figures + "process_start_time_seconds 1.79586324215e+09\n";
    asked(server, 4);
    server.metrics = figures + "process_start_time_seconds 1.79586324215e+09\n# another scrape\n";
    asked(server, 4);
    assertThat(restarts).isEmpty();
    assertThat(monitor.answers(server.id())).isTrue();
    server.metrics = figures + "process_start_time_seconds 1.79586354215e+09\n";
    await().atMost(Duration.ofSeconds(20)).until(() -> restarts.equals(List.of(server.id())));
    server.metrics = figures + "process_start_time_seconds 1.79586324215e+09\n";
    asked(server, 4);
    assertThat(restarts).as("an older process is no restart").hasSize(1);
    server.http.stop(0);
    await().atMost(Duration.ofSeconds(20)).until(() -> !monitor.answers(server.id()));
  }

  @Test
  void eventsAreHeardWhereTheServerSaysThatItPublishesThem() throws Exception {
    Server server = server();
    try (ZContext context = new ZContext()) {
      ZMQ.Socket publisher = context.createSocket(SocketType.XPUB);
      publisher.setReceiveTimeOut(20_000);
      int port = publisher.bindToRandomPort("tcp://127.0.0.1");
      String source =
          "{'0':{'enable_kv_cache_events':true,'publisher':'zmq','endpoint':'tcp://*:%d',"
              + "'replay_endpoint':null,'topic':'kv'}}";
      server.answers(
          "/kv_event_sources", () -> source.formatted(port).replace((char) 39, (char) 34));
      listed = List.of(new ReplicaSource.Address(server.uri(), false));
      watch();
      assertThat(publisher.recv()).as("a subscription to the topic").endsWith('k', 'v');
      publisher.sendMore("kv");
      publisher.sendMore(new byte[8]);
      publisher.send(
          KvEventsTest.packed(KvEventsTest.list(1.0, List.of(List.of("AllBlocksCleared")))));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> cached.equals(List.of(new KvEvent.Cleared())));
    }
  }

  private static void asked(Server server, int more) {
    int before = server.asked.get();
    await().atMost(Duration.ofSeconds(20)).until(() -> server.asked.get() >= before + more);
  }
}
