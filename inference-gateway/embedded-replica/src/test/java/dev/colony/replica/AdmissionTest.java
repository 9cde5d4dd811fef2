package dev.colony.replica;

import static dev.colony.replica.Prompts.page;
import static dev.colony.replica.Prompts.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.Engine.TimeModel;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AdmissionTest {

  @Test
  void callsBeyondSlotsAndQueueAreRefusedAndTheOthersAnswered() {
    try (EmbeddedReplica replica =
            Replicas.start(
                Replicas.prefilling(200), "max-running = 1", "max-waiting = 1", "time.factor = 1");
        HttpDriver http = new HttpDriver(replica.uri())) {
      List<CompletableFuture<HttpResponse<String>>> calls =
          IntStream.range(0, 6)
              .mapToObj(i ->
                  http.postAsync(
                      "/v1/chat/completions",
                      prompt("Question: x?", page("page" + i, 20)).toString()))
              .toList();
      List<Integer> statuses = calls.stream().map(call -> call.join().statusCode()).toList();
      assertThat(statuses).contains(200, 429).containsOnly(200, 429);
      HttpResponse<String> refused =
          calls.stream()
              .map(CompletableFuture::join)
              .filter(r -> r.statusCode() == 429)
              .findAny()
              .orElseThrow();
      assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(HttpDriver.json(refused).at("/error/code").asInt()).isEqualTo(429);
      HttpResponse<String> later = http.chat(prompt("Question: x?").toString());
      assertThat(later.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void callsWaitForBlocksThatOthersHold() {
    // Each prompt takes more than half of the cache.
    try (EmbeddedReplica replica =
            Replicas.start(
                Replicas.prefilling(2000),
                "capacity-blocks = 30",
                "context-tokens = 480",
                "time.factor = 1");
        HttpDriver http = new HttpDriver(replica.uri())) {
      List<CompletableFuture<HttpResponse<String>>> calls =
          IntStream.range(0, 4)
              .mapToObj(i ->
                  http.postAsync(
                      "/v1/chat/completions",
                      prompt("Question: x?", page("page" + i, 35)).toString()))
              .toList();
      assertThat(calls).allSatisfy(c -> assertThat(c.join().statusCode()).isEqualTo(200));
    }
  }

  @Test
  void aClientThatSendsNoBodyLosesItsConnectionAndItsSlot() throws Exception {
    try (EmbeddedReplica replica =
            Replicas.start(
                Replicas.reading(1 << 20, Duration.ofMillis(100)),
                "max-running = 1",
                "max-waiting = 0");
        HttpDriver http = new HttpDriver(replica.uri());
        Socket slow = new Socket("127.0.0.1", replica.uri().getPort())) {
      OutputStream out = slow.getOutputStream();
      out.write(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"
              .getBytes(StandardCharsets.US_ASCII));
      out.flush();
      slow.setSoTimeout(20_000);
      InputStream in = slow.getInputStream();
      assertThat(in.read()).isEqualTo(-1);
      await().until(() -> http.chat(prompt("Question: x?").toString()).statusCode() == 200);
    }
  }

  @Test
  void garbageOnTheSocketDoesNotDisturbTheServer() throws Exception {
    try (EmbeddedReplica replica = Replicas.start();
        HttpDriver http = new HttpDriver(replica.uri())) {
      try (Socket socket = new Socket("127.0.0.1", replica.uri().getPort())) {
        socket
            .getOutputStream()
            .write("\u0000\u0001 nonsense\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        socket.shutdownOutput();
        socket.getInputStream().readAllBytes();
      }
      assertThat(http.get("/health").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aClientThatLeavesWhileItsReplyStreamsFreesItsSlot() {
    // The first token comes at once, each further one takes a minute.
    theSlotIsFreedWhenItsClientLeaves(
        new TimeModel(1, 2_000_000, 53_000, Duration.ZERO, Duration.ofMillis(60), Duration.ZERO),
        body -> body.put("stream", true));
  }

  @Test
  void aClientThatLeavesBeforeTheFirstTokenFreesItsSlot() {
    theSlotIsFreedWhenItsClientLeaves(Replicas.prefilling(1000).time(), body -> {});
  }

  private static void theSlotIsFreedWhenItsClientLeaves(
      TimeModel time, Consumer<ObjectNode> change) {
    try (EmbeddedReplica replica =
            Replicas.start(
                Replicas.time(time), "max-running = 1", "max-waiting = 0", "time.factor = 1000");
        HttpDriver http = new HttpDriver(replica.uri())) {
      ObjectNode body = prompt("Question: what is the gate?", "The gate is green");
      change.accept(body);
      CompletableFuture<HttpResponse<String>> call =
          http.postAsync("/v1/chat/completions", body.toString());
      await().until(() -> running(http) == 1);
      call.cancel(true);
      await().until(() -> running(http) == 0);
      assertThat(http.get("/metrics").body())
          .contains("finished_reason=\"abort\",model_name=\"colony-lexical-1\"} 1.0");
    }
  }

  private static double running(HttpDriver http) {
    return HttpDriver.sample(http.get("/metrics").body(), "vllm:num_requests_running");
  }
}
