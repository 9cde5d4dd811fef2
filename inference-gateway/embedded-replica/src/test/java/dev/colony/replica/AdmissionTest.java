package dev.colony.replica;

import static dev.colony.replica.Prompts.page;
import static dev.colony.replica.Prompts.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AdmissionTest {

  @Test
  void callsBeyondSlotsAndQueueAreRefusedAndTheOthersAnswered() {
    try (EmbeddedReplica replica =
            Replicas.start(
                "r", "max-running = 1", "max-waiting = 1", "prefill-tokens-per-second = 200");
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
      assertThat(HttpDriver.json(refused).at("/error/type").asText()).isEqualTo("rate_limit_error");
      HttpResponse<String> later = http.chat(prompt("Question: x?").toString());
      assertThat(later.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void callsWaitForBlocksThatOthersHold() {
    // Each prompt takes more than half of the cache.
    try (EmbeddedReplica replica =
            Replicas.start(
                "r",
                "capacity-blocks = 30",
                "context-tokens = 480",
                "prefill-tokens-per-second = 2000");
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
            Replicas.start("r", "max-running = 1", "max-waiting = 0", "request-timeout = 100 ms");
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
    try (EmbeddedReplica replica = Replicas.start("r");
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
  void aClientThatLeavesInTheMiddleFreesItsSlot() {
    try (EmbeddedReplica replica =
            Replicas.start(
                "r", "max-running = 1", "max-waiting = 0", "decode-tokens-per-second = 5");
        HttpDriver http = new HttpDriver(replica.uri())) {
      // Some 65 tokens, so some 13 seconds, unless the server notices that no client listens.
      String page = "The gate is green" + " and wide".repeat(30);
      String body = prompt("Question: what is the gate?", page).put("stream", true).toString();
      CompletableFuture<HttpResponse<String>> call = http.postAsync("/v1/chat/completions", body);
      await()
          .until(() ->
              http.get("/metrics")
                  .body()
                  .contains("requests_running{model_name=\"colony-lexical-1\"} 1"));
      call.cancel(true);
      await().until(() -> http.chat(prompt("Question: x?").toString()).statusCode() == 200);
    }
  }
}
