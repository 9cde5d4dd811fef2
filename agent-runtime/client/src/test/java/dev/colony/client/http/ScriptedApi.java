package dev.colony.client.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server that answers each request with the next answer that a test has put down for it. */
final class ScriptedApi implements AutoCloseable {

  /** A request as it came. */
  record Asked(String method, String target, Map<String, List<String>> headers, String body) {

    String header(String name) {
      return headers.entrySet().stream()
          .filter(one -> one.getKey().equalsIgnoreCase(name))
          .map(one -> one.getValue().getFirst())
          .findFirst()
          .orElse("");
    }
  }

  /** What is done with a request. */
  interface Reaction {
    void to(HttpExchange exchange) throws IOException, InterruptedException;
  }

  final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final Queue<Reaction> script = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final HttpServer server;

  ScriptedApi() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  ScriptedApi then(Reaction reaction) {
    script.add(reaction);
    return this;
  }

  ScriptedApi then(int status, String body) {
    return then(status, body, Map.of());
  }

  ScriptedApi then(int status, String body, Map<String, String> headers) {
    return then(answer(status, body, headers));
  }

  static Reaction answer(int status, String body, Map<String, String> headers) {
    return exchange -> {
      headers.forEach(exchange.getResponseHeaders()::add);
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(bytes);
      }
    };
  }

  /** A stream that ends after these words. */
  ScriptedApi thenStream(String words) {
    return then(stream(words));
  }

  static Reaction stream(String words) {
    return exchange -> begin(exchange, words).close();
  }

  /** A stream that says these words and then nothing more. */
  ScriptedApi thenSilence(String words) {
    return then(exchange -> {
      begin(exchange, words);
      closed.await();
    });
  }

  /** The connection is lost without an answer. */
  ScriptedApi thenLost() {
    return then(HttpExchange::close);
  }

  private static OutputStream begin(HttpExchange exchange, String words) throws IOException {
    exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    out.write(words.getBytes(StandardCharsets.UTF_8));
    out.flush();
    return out;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try {
      react(exchange);
    } catch (InterruptedException stopped) {
      exchange.close();
    }
  }

  private void react(HttpExchange exchange) throws IOException, InterruptedException {
    asked.add(
        new Asked(
            exchange.getRequestMethod(),
            exchange.getRequestURI().toString(),
            Map.copyOf(exchange.getRequestHeaders()),
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
    Reaction next = script.poll();
    if (next == null) {
      exchange.sendResponseHeaders(599, -1);
      exchange.close();
    } else {
      next.to(exchange);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
