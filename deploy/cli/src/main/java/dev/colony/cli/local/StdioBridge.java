package dev.colony.cli.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.client.http.Authorities;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Carries the messages of a client, one a line, to the streamable HTTP transport of a node, and the
 * answers back, each as one line. Requests are answered as their answers come, in any order.
 *
 * <p>A request that no node has answered is sent again, to the next node: within a session a
 * request of the same id is the same, so that no run is asked for twice. The session is that of the
 * answer to {@code initialize}, before which nothing else is sent.
 *
 * <p>A request that says its revision itself (2026-07-28) has no session: its headers repeat what
 * it says, a key makes it the same at each node, and the end of its answer cancels it.
 */
public final class StdioBridge {

  /**
   * What it may take.
   *
   * @param calls requests under way at once; further lines are read when one is answered
   * @param attempts to send one, at most
   * @param pause between two of them
   * @param drain how long answers are waited for after the end of standard input; runs go on
   */
  public record Bounds(int calls, int attempts, Duration pause, Duration drain) {

    public static final Bounds USUAL =
        new Bounds(64, 10, Duration.ofMillis(500), Duration.ofSeconds(2));
  }

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int PARSE_ERROR = -32700;
  private static final int NOT_ANSWERED = -32000;
  private static final int UNAVAILABLE = 503;
  private static final String DATA = "data:";
  private static final String SESSION = "Mcp-Session-Id";
  private static final String VERSION = "Mcp-Protocol-Version";
  private static final String OWN_VERSION =
      "/params/_meta/io.modelcontextprotocol~1protocolVersion";

  /** What a header can have as it is. */
  private static final Pattern PLAIN =
      Pattern.compile("(?!=\\?base64\\?)[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?");

  private final List<URI> nodes;
  private final Optional<String> key;
  private final Bounds bounds;
  private final PrintStream out;
  private final HttpClient http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore calls;
  private final AtomicInteger node = new AtomicInteger();

  /** Completed when a node has taken the request of the id. */
  private final Map<JsonNode, CompletableFuture<Void>> taken = new ConcurrentHashMap<>();

  /** Those that carry requests which say their revision themselves. */
  private final Map<JsonNode, Thread> carrying = new ConcurrentHashMap<>();

  private final UUID own = UUID.randomUUID();
  private volatile Map<String, String> session = Map.of();

  /**
   * @param nodes where they serve the colony's MCP server, at least one
   * @param out for messages of the protocol and nothing else
   * @throws IllegalArgumentException if the authorities that HTTPS is checked by cannot be read
   */
  public StdioBridge(List<URI> nodes, Optional<String> key, Bounds bounds, PrintStream out) {
    this.nodes = List.copyOf(nodes);
    this.key = key;
    this.bounds = bounds;
    this.out = out;
    this.calls = new Semaphore(bounds.calls());
    this.http =
        Authorities.into(HttpClient.newBuilder(), ConfigFactory.load())
            .version(HttpClient.Version.HTTP_1_1)
            .executor(threads)
            .build();
  }

  /**
   * Carries messages until the input ends and what was asked is answered, or the time for it over.
   */
  public void carry(InputStream in) throws IOException, InterruptedException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (!line.isBlank()) {
        take(line);
      }
    }
    if (!calls.tryAcquire(bounds.calls(), bounds.drain().toMillis(), TimeUnit.MILLISECONDS)) {
      System.err.println("colony: the input has ended before all was answered");
    }
    threads.shutdownNow();
    http.shutdownNow();
  }

  private void take(String line) throws InterruptedException {
    JsonNode message;
    try {
      message = JSON.readTree(line);
    } catch (JsonProcessingException malformed) {
      fail(JSON.nullNode(), PARSE_ERROR, "the line is no JSON");
      return;
    }
    if (message.path("method").asText().equals("initialize")) {
      carry(message);
      return;
    }
    calls.acquire();
    if (message.has("method") && message.has("id")) {
      taken.put(message.get("id"), new CompletableFuture<>());
    }
    threads.execute(() -> {
      try {
        if (message.has("id") && message.at(OWN_VERSION).isTextual()) {
          carrying.put(message.get("id"), Thread.currentThread());
        }
        if (!message.path("method").asText().equals("notifications/cancelled")
            || !ended(message.path("params").path("requestId"))) {
          carry(message);
        }
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
      } finally {
        taken(message);
        calls.release();
      }
    });
  }

  /** Once a node has taken the request; false where the node is to be told. */
  private boolean ended(JsonNode id) {
    taken.getOrDefault(id, CompletableFuture.completedFuture(null)).join();
    Optional<Thread> carrier = Optional.ofNullable(carrying.remove(id));
    carrier.ifPresent(Thread::interrupt);
    return carrier.isPresent();
  }

  private void taken(JsonNode message) {
    Optional.ofNullable(message.get("id")).ifPresent(carrying::remove);
    Optional.ofNullable(message.get("id"))
        .map(taken::remove)
        .ifPresent(waiting -> waiting.complete(null));
  }

  private void carry(JsonNode message) throws InterruptedException {
    String why = "";
    for (int attempt = 0; attempt < bounds.attempts(); attempt++) {
      int at = node.get();
      try {
        if (sent(nodes.get(Math.floorMod(at, nodes.size())), message)) {
          return;
        }
        why = "the node cannot answer now";
      } catch (IOException broken) {
        why = broken.getMessage() == null ? "no connection" : broken.getMessage();
      }
      node.compareAndSet(at, at + 1);
      Thread.sleep(bounds.pause());
    }
    failed(message, "no node of %s answers: %s".formatted(nodes, why));
  }

  /** Sends it once; false where it is worth trying again. */
  private boolean sent(URI uri, JsonNode message) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .POST(HttpRequest.BodyPublishers.ofString(message.toString()));
    key.ifPresent(one -> request.header("Authorization", "Bearer " + one));
    headers(message).forEach(request::header);
    HttpResponse<InputStream> answer =
        http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = answer.body()) {
      if (answer.statusCode() == UNAVAILABLE) {
        return false;
      }
      if (answer.statusCode() == 200
          && answer.headers().firstValue("Content-Type").orElse("").startsWith("text/event")) {
        return streamed(body, message);
      }
      JsonNode said = JSON.readTree(body);
      switch (answer.statusCode()) {
        case 200 -> answered(answer, message, said);
        case 202 -> {}
        default -> {
          if (message.has("id") && message.get("id").equals(said.get("id"))) {
            print(said);
          } else {
            failed(message, refusal(said).orElse("HTTP " + answer.statusCode()));
          }
        }
      }
      return true;
    }
  }

  private Map<String, String> headers(JsonNode message) {
    JsonNode version = message.at(OWN_VERSION);
    if (!version.isTextual()) {
      return session;
    }
    Map<String, String> headers = new HashMap<>();
    headers.put(VERSION, plain(version.asText()));
    headers.put("Mcp-Method", plain(message.path("method").asText()));
    headers.put("Idempotency-Key", plain(own + ":" + message.path("id")));
    Stream.of("name", "uri")
        .map(field -> message.path("params").path(field))
        .filter(JsonNode::isTextual)
        .findFirst()
        .ifPresent(name -> headers.put("Mcp-Name", plain(name.asText())));
    return headers;
  }

  /** In the protocol's form where a header cannot have it as it is. */
  private static String plain(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return PLAIN.matcher(value).matches()
        ? value
        : "=?base64?%s?=".formatted(Base64.getEncoder().encodeToString(bytes));
  }

  /** What a node says, or what stands in front of it. */
  private static Optional<String> refusal(JsonNode said) {
    return Optional.of(said.at("/error/message").asText(said.path("detail").asText()))
        .filter(words -> !words.isEmpty());
  }

  private void answered(HttpResponse<?> answer, JsonNode request, JsonNode response) {
    if (request.path("method").asText().equals("initialize") && response.has("result")) {
      String version = response.path("result").path("protocolVersion").asText();
      session =
          answer
              .headers()
              .firstValue(SESSION)
              .map(id -> Map.of(SESSION, id, VERSION, version))
              .orElse(Map.of(VERSION, version));
    }
    print(response);
  }

  /** False where the stream has broken off before the response. */
  private boolean streamed(InputStream body, JsonNode request) throws IOException {
    Optional.ofNullable(taken.get(request.path("id"))).ifPresent(waiting -> waiting.complete(null));
    BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(DATA)) {
        JsonNode message = JSON.readTree(line.substring(DATA.length()));
        if (message.has("code") && message.has("detail")) {
          failed(request, message.path("detail").asText());
          return true;
        }
        print(message);
        if (message.has("id") && !message.has("method")) {
          return true;
        }
      }
    }
    return false;
  }

  private void failed(JsonNode message, String why) {
    if (message.has("method") && message.has("id")) {
      fail(message.get("id"), NOT_ANSWERED, why);
    } else {
      System.err.println("colony: " + why);
    }
  }

  private void fail(JsonNode id, int code, String why) {
    ObjectNode response = JSON.createObjectNode().put("jsonrpc", "2.0");
    response.set("id", id);
    response.putObject("error").put("code", code).put("message", why);
    print(response);
  }

  private synchronized void print(JsonNode message) {
    out.println(message);
    out.flush();
  }
}
