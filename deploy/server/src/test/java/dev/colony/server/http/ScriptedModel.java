package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A model server of one connection for each request, which answers what a script says, and then may
 * wait until its client closes the connection.
 */
final class ScriptedModel implements AutoCloseable {

  /** Writes what a server answers to a request's body. */
  interface Script {
    /**
     * @return whether the connection stays open until the client closes it
     */
    boolean answer(JsonNode body, OutputStream out) throws IOException;
  }

  static final String NAME = "scripted-1";

  private static final String MODELS =
      "{\"object\":\"list\",\"data\":[{\"id\":\"%s\",\"object\":\"model\",\"owned_by\":\"vllm\","
              .formatted(NAME)
          + "\"max_model_len\":32768}]}";

  /** Bodies of calls, as they come. */
  final BlockingQueue<JsonNode> calls = new LinkedBlockingQueue<>();

  /** Of the last call, its request line and headers. */
  volatile String head = "";

  /** Counted down where a client has closed a connection that was to stay open. */
  final CountDownLatch closedByClient = new CountDownLatch(1);

  private final Semaphore steps = new Semaphore(0);
  private final ServerSocket server;
  private volatile Script script;

  ScriptedModel(Script script) {
    this.script = script;
    try {
      server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    Thread.ofVirtual().start(this::accept);
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  void script(Script next) {
    script = next;
  }

  JsonNode call() {
    try {
      JsonNode call = calls.poll(30, TimeUnit.SECONDS);
      if (call == null) {
        throw new AssertionError("no call came");
      }
      return call;
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** Lets a script go on that waits for it. */
  void goOn() {
    steps.release();
  }

  /** Of a script: waits until it is to go on, so that its client has it wait. */
  void awaitGoOn() {
    try {
      if (!steps.tryAcquire(30, TimeUnit.SECONDS)) {
        throw new AssertionError("it is not to go on");
      }
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String head = head(in);
      OutputStream out = socket.getOutputStream();
      if (head.startsWith("GET")) {
        whole(out, 200, Map.of(), MODELS);
        return;
      }
      int length =
          head.lines()
              .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:"))
              .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
              .findFirst()
              .orElse(0);
      JsonNode body = ApiClient.parse(new String(in.readNBytes(length), StandardCharsets.UTF_8));
      this.head = head;
      calls.add(body);
      if (script.answer(body, out)) {
        out.flush();
        if (in.read() < 0) {
          closedByClient.countDown();
        }
      }
    } catch (IOException reset) {
      closedByClient.countDown();
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return head.toString();
      }
      head.append((char) next);
    }
    return head.toString();
  }

  static void whole(OutputStream out, int status, Map<String, String> headers, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " X\r\nConnection: close\r\n");
    headers.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    head.append("Content-Type: application/json\r\nContent-Length: " + bytes.length + "\r\n\r\n");
    out.write(head.toString().getBytes(StandardCharsets.US_ASCII));
    out.write(bytes);
    out.flush();
  }

  /** The head of a stream that the end of its connection ends. */
  static void events(OutputStream out, String... data) throws IOException {
    out.write(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n"
            .getBytes(StandardCharsets.US_ASCII));
    more(out, data);
  }

  static void more(OutputStream out, String... data) throws IOException {
    for (String one : data) {
      out.write(("data: " + one + "\n\n").getBytes(StandardCharsets.UTF_8));
    }
    out.flush();
  }

  /** A chunk with this delta. */
  static String delta(String delta, String finish) {
    return "{\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"%s\","
            .formatted(NAME)
        + "\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}"
            .formatted(delta, finish.isEmpty() ? "null" : "\"" + finish + "\"");
  }

  static String text(String text) {
    return delta("{\"content\":\"" + text + "\"}", "");
  }

  static final String USAGE =
      "{\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"scripted-1\","
          + "\"choices\":[],\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":5,"
          + "\"total_tokens\":25,\"prompt_tokens_details\":{\"cached_tokens\":16}}}";

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
