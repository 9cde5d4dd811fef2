package dev.colony.replica;

import static dev.colony.replica.HttpDriver.json;
import static dev.colony.replica.HttpDriver.parsed;
import static dev.colony.replica.Prompts.page;
import static dev.colony.replica.Prompts.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultsTest {

  private static EmbeddedReplica replica;
  private static HttpDriver http;

  @BeforeAll
  static void start() {
    replica = Replicas.start("faults.controlled = true");
    http = new HttpDriver(replica.uri());
  }

  @AfterAll
  static void stop() {
    http.close();
    replica.close();
  }

  @AfterEach
  void heal() {
    assertThat(http.send("DELETE", "/colony/faults", "").statusCode()).isEqualTo(200);
    await()
        .until(
            () -> HttpDriver.sample(http.get("/metrics").body(), "vllm:num_requests_running") == 0);
    assertThat(ask(false).statusCode()).isEqualTo(200);
  }

  @Test
  void aFaultLastsForItsTimes() {
    set("{\"kind\": \"error\", \"times\": 2}");
    assertThat(ask(false).statusCode()).isEqualTo(500);
    assertThat(json(http.get("/colony/faults")).path("times").asInt()).isEqualTo(1);
    assertThat(ask(true).statusCode()).isEqualTo(500);
    assertThat(ask(false).statusCode()).isEqualTo(200);
    assertThat(json(http.get("/colony/faults")).path("kind").asText()).isEqualTo("none");
  }

  @Test
  void aRateLimitComesWithAndWithoutAHint() {
    set("{\"kind\": \"rate-limit\"}");
    assertThat(ask(false).statusCode()).isEqualTo(429);
    assertThat(ask(false).headers().firstValue("Retry-After")).isEmpty();
    set("{\"kind\": \"rate-limit\", \"retry_after_seconds\": 7}");
    assertThat(ask(true).headers().firstValue("Retry-After")).hasValue("7");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusedConnectionHasNoReply(boolean stream) {
    set("{\"kind\": \"refuse\"}");
    assertThatThrownBy(() -> ask(stream))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void garbageIsNoJson() {
    set("{\"kind\": \"garbage\"}");
    HttpResponse<String> response = ask(false);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThatThrownBy(() -> HttpDriver.JSON.readTree(response.body()))
        .isInstanceOf(JsonProcessingException.class);
  }

  @Test
  void halfOfAReplyIsAWholeReplyOfHttp() {
    set("{\"kind\": \"half-json\"}");
    HttpResponse<String> response = ask(false);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).startsWith("{\"id\":\"chatcmpl-");
    assertThatThrownBy(() -> HttpDriver.JSON.readTree(response.body()))
        .isInstanceOf(JsonProcessingException.class);
    String events = ask(true).body();
    assertThat(events).doesNotContain("[DONE]");
    assertThat(events.lines().filter(line -> !line.isEmpty())).hasSize(3);
    String last = events.lines().filter(line -> !line.isEmpty()).toList().getLast();
    assertThatThrownBy(() -> HttpDriver.JSON.readTree(last.substring(6)))
        .isInstanceOf(JsonProcessingException.class);
  }

  @Test
  void aDyingConnectionEndsInTheMiddle() throws IOException {
    set("{\"kind\": \"die\", \"after\": 2}");
    assertThatThrownBy(() -> ask(false)).hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(() -> ask(true)).hasCauseInstanceOf(IOException.class);
    try (Socket socket = open(true)) {
      String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(all.split("data: ", -1)).hasSize(4);
      assertThat(all).doesNotContain("[DONE]");
    }
  }

  @Test
  void aHungStreamHasItsHeadersAndAHungReplyHasNothing() throws IOException {
    set("{\"kind\": \"hang\"}");
    try (Socket stream = open(true);
        Socket whole = open(false)) {
      assertThat(untilSilent(stream)).startsWith("HTTP/1.1 200 OK").doesNotContain("data: ");
      assertThat(untilSilent(whole)).isEmpty();
    }
  }

  @Test
  void aStreamThatHangsBetweenTokensHasItsFirstPieces() throws IOException {
    set("{\"kind\": \"hang-between\", \"after\": 1}");
    try (Socket stream = open(true);
        Socket whole = open(false)) {
      assertThat(untilSilent(stream).split("data: ", -1)).hasSize(3);
      assertThat(untilSilent(whole)).contains("{\"id\":\"chatcmpl-").doesNotContain("usage");
    }
  }

  @Test
  void aWrongUsageContradictsItself() {
    set("{\"kind\": \"wrong-usage\"}");
    JsonNode usage = json(ask(false)).path("usage");
    assertThat(usage.path("completion_tokens").asInt()).isNegative();
    assertThat(usage.at("/prompt_tokens_details/cached_tokens").asInt())
        .isGreaterThan(usage.path("prompt_tokens").asInt());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void slowHeadersAreFollowedByTheReply(boolean stream) {
    set("{\"kind\": \"slow-headers\", \"delay_millis\": 1}");
    HttpResponse<String> response = ask(stream);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains(stream ? "[DONE]" : "\"finish_reason\":\"stop\"");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void slowHeadersComeByteByByte(boolean stream) throws IOException {
    set("{\"kind\": \"slow-headers\", \"delay_millis\": 60000}");
    try (Socket socket = open(stream)) {
      assertThat(untilSilent(socket)).isEqualTo("H");
    }
  }

  @Test
  void anUnknownFaultIsRefusedWithThoseThatThereAre() {
    HttpResponse<String> response = http.send("PUT", "/colony/faults", "{\"kind\": \"flood\"}");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(json(response).at("/error/message").asText()).contains("rate-limit", "slow-headers");
  }

  @Test
  void theControlIsOffByDefault() {
    try (EmbeddedReplica whole = Replicas.start();
        HttpDriver driver = new HttpDriver(whole.uri())) {
      assertThat(driver.get("/colony/faults").statusCode()).isEqualTo(404);
    }
  }

  private static void set(String fault) {
    HttpResponse<String> response = http.send("PUT", "/colony/faults", fault);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(json(response).path("kind")).isEqualTo(parsed(fault).path("kind"));
  }

  private static HttpResponse<String> ask(boolean stream) {
    return http.chat(body(stream));
  }

  private static String body(boolean stream) {
    ObjectNode body = prompt("Question: where is alpha3?", page("alpha", 9));
    return body.put("stream", stream).toString();
  }

  private static Socket open(boolean stream) throws IOException {
    Socket socket = new Socket("127.0.0.1", replica.uri().getPort());
    socket.setSoTimeout(20_000);
    byte[] body = body(stream).getBytes(StandardCharsets.UTF_8);
    String head = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length;
    socket.getOutputStream().write((head + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().write(body);
    socket.getOutputStream().flush();
    return socket;
  }

  /** What comes until nothing more does for a while. */
  private static String untilSilent(Socket socket) throws IOException {
    socket.setSoTimeout(500);
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try {
      for (int b = socket.getInputStream().read(); b >= 0; b = socket.getInputStream().read()) {
        read.write(b);
      }
    } catch (SocketTimeoutException e) {
      // It is silent.
    }
    return read.toString(StandardCharsets.UTF_8);
  }
}
