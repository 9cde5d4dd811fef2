package dev.colony.inference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A model server for tests: records what it is sent and replies as its script says, well or badly.
 * It speaks HTTP/1.1 over plain sockets, because it must be able to break the protocol and to see
 * its clients go.
 *
 * <p>The script answers chat completions, responses and messages, under any path; {@code models}
 * lists {@link #MODEL}, and every other path is 404, unless another script is set.
 */
public final class RecordingModelServer implements AutoCloseable {

  public static final String MODEL = "scripted-1";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A request as it came; header names are in lower case. */
  public record Recorded(String method, String path, Map<String, String> headers, String body) {

    public JsonNode json() {
      try {
        return JSON.readTree(body);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Contents of the messages of one role, in order. */
    public List<String> messages(String role) {
      List<String> contents = new ArrayList<>();
      for (JsonNode message : json().path("messages")) {
        if (message.path("role").asText().equals(role)) {
          contents.add(message.path("content").asText());
        }
      }
      return contents;
    }

    /** The schema that the reply must satisfy. */
    public Optional<JsonNode> schema() {
      JsonNode schema = json().path("response_format").path("json_schema").path("schema");
      return schema.isObject() ? Optional.of(schema) : Optional.empty();
    }
  }

  /** What the server does with a request. */
  public sealed interface Reply {

    /** The head of a reply whose end is that of the connection. */
    String EVENTS =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

    /** Its body, of one that is well-formed. */
    default JsonNode json() {
      if (!(this instanceof Http http)) {
        throw new IllegalStateException("has no body: " + this);
      }
      try {
        return JSON.readTree(http.body());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** A chat completion with this text; 100 prompt tokens, {@code cached} of them cached. */
    static Reply answer(String text, int cached) {
      ObjectNode root =
          JSON.createObjectNode()
              .put("id", "chatcmpl-1")
              .put("object", "chat.completion")
              .put("model", MODEL);
      ObjectNode choice = root.putArray("choices").addObject().put("index", 0);
      choice.put("finish_reason", "stop").putObject("message").put("role", "assistant");
      ((ObjectNode) choice.get("message")).put("content", text);
      ObjectNode usage = root.putObject("usage").put("prompt_tokens", 100);
      usage.put("completion_tokens", 10).put("total_tokens", 110);
      usage.putObject("prompt_tokens_details").put("cached_tokens", cached);
      return new Http(200, Map.of("Content-Type", "application/json"), root.toString());
    }

    static Reply answer(String text) {
      return answer(text, 0);
    }

    static Reply status(int status, String body) {
      return new Http(status, Map.of("Content-Type", "application/json"), body);
    }

    static Reply status(int status, Map<String, String> headers, String body) {
      return new Http(status, headers, body);
    }

    /** Server-sent events, each as it stands there with its fields. */
    static Reply events(String... events) {
      return new Http(
          200, Map.of("Content-Type", "text/event-stream"), String.join("\n\n", events) + "\n\n");
    }

    /** The first events of a reply, and then nothing more until the client goes. */
    static Reply eventsThenHang(String... events) {
      return new Raw(EVENTS + String.join("\n\n", events) + "\n\n", true);
    }

    /** The first events of a reply, and then the end of the connection. */
    static Reply eventsThenClose(String... events) {
      return new Raw(EVENTS + String.join("\n\n", events) + "\n\n", false);
    }

    /** Says nothing until the client goes. */
    static Reply hang() {
      return new Raw("", true);
    }

    /** Sends these bytes, whatever they are, and closes. */
    static Reply raw(String bytes) {
      return new Raw(bytes, false);
    }

    /** Sends these bytes and then nothing more until the client goes. */
    static Reply rawThenHang(String bytes) {
      return new Raw(bytes, true);
    }
  }

  private record Http(int status, Map<String, String> headers, String body) implements Reply {}

  private record Raw(String bytes, boolean hang) implements Reply {}

  /** Decides on the reply to a request; called on the thread of its connection. */
  @FunctionalInterface
  public interface Script {
    Reply reply(Recorded request);
  }

  private final ServerSocket socket;
  private final List<Recorded> requests = new CopyOnWriteArrayList<>();
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger abandoned = new AtomicInteger();
  private volatile Script chat;
  private volatile Script others =
      request -> Reply.status(404, "{\"error\":{\"message\":\"not found\"}}");
  private volatile Script models = request -> Reply.status(200, modelList());

  private RecordingModelServer(ServerSocket socket, Script chat) {
    this.socket = socket;
    this.chat = chat;
  }

  /** Serves on a free port of the loopback address. */
  public static RecordingModelServer start(Script chat) {
    return start(chat, 0);
  }

  /** Serves on a given port of the loopback address. */
  public static RecordingModelServer start(Script chat, int port) {
    try {
      ServerSocket socket = new ServerSocket(port, 256, InetAddress.getLoopbackAddress());
      RecordingModelServer server = new RecordingModelServer(socket, chat);
      Thread.ofVirtual().name("recording-model-server").start(server::accept);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + socket.getLocalPort());
  }

  public int port() {
    return socket.getLocalPort();
  }

  /** Replaces the script of chat completions. */
  public void chat(Script script) {
    chat = script;
  }

  /** Replaces the script of {@code GET /v1/models}. */
  public void models(Script script) {
    models = script;
  }

  /** Replaces the script of all other paths. */
  public void others(Script script) {
    others = script;
  }

  /** All requests so far, in the order of their arrival. */
  public List<Recorded> requests() {
    return List.copyOf(requests);
  }

  /** The chat completions among them. */
  public List<Recorded> chats() {
    return requests.stream().filter(r -> r.method().equals("POST")).toList();
  }

  /** How many clients closed their connection while the server was hanging. */
  public int abandoned() {
    return abandoned.get();
  }

  /** Ends every connection too, also one that is being accepted at this moment. */
  @Override
  public void close() {
    try {
      socket.close();
      for (Socket connection : connections) {
        connection.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket connection = socket.accept();
        connections.add(connection);
        if (socket.isClosed()) {
          connection.close();
          return;
        }
        Thread.ofVirtual().start(() -> serve(connection));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      connection.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(connection.getInputStream());
      for (Optional<Recorded> r = read(in); r.isPresent(); r = read(in)) {
        requests.add(r.get());
        if (!write(connection, in, reply(r.get()))) {
          return;
        }
      }
    } catch (IOException e) {
      // The client has gone, which is its right.
    } finally {
      connections.remove(connection);
    }
  }

  private Reply reply(Recorded request) {
    String path = request.path().replaceAll("\\?.*", "");
    if (path.matches(".*/(chat/completions|responses|messages)")) {
      return chat.reply(request);
    }
    return path.endsWith("/models") ? models.reply(request) : others.reply(request);
  }

  /** False if the connection is over. */
  private boolean write(Socket connection, InputStream in, Reply reply) throws IOException {
    switch (reply) {
      case Http http -> {
        byte[] body = http.body().getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder("HTTP/1.1 " + http.status() + " Scripted\r\n");
        http.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(head.toString().getBytes(StandardCharsets.US_ASCII));
        whole.writeBytes(body);
        connection.getOutputStream().write(whole.toByteArray());
        return true;
      }
      case Raw raw -> {
        connection.getOutputStream().write(raw.bytes().getBytes(StandardCharsets.UTF_8));
        connection.getOutputStream().flush();
        if (raw.hang()) {
          awaitClient(in);
          abandoned.incrementAndGet();
        }
        return false;
      }
    }
  }

  private void awaitClient(InputStream in) {
    try {
      while (in.read() >= 0) {
        // Whatever it still sends: only its going counts.
      }
    } catch (IOException e) {
      // Reset instead of closed: gone all the same.
    }
  }

  /** Empty at the end of the stream, also where that cuts a request off. */
  private static Optional<Recorded> read(InputStream in) throws IOException {
    String start = line(in);
    if (start.isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> headers = new HashMap<>();
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      int colon = header.indexOf(':');
      headers.put(
          header.substring(0, colon).toLowerCase(Locale.ROOT), header.substring(colon + 1).strip());
    }
    if (start.startsWith("POST ") && !headers.containsKey("content-length")) {
      return Optional.empty();
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      return Optional.empty();
    }
    String[] parts = start.split(" ");
    return Optional.of(
        new Recorded(
            parts[0], parts[1], Map.copyOf(headers), new String(body, StandardCharsets.UTF_8)));
  }

  /** A line without its end; empty also at the end of the stream. */
  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static String modelList() {
    return "{\"object\":\"list\",\"data\":[{\"id\":\"" + MODEL + "\",\"object\":\"model\"}]}";
  }
}
