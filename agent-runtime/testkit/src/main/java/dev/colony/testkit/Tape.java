package dev.colony.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.value.Text;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The calls of a model server in a file, one JSON object a line: the server's list of models, then
 * each request with its answer as it came. Thread-safe.
 */
sealed interface Tape {

  /** Answers what models there are. */
  void models(HttpExchange exchange) throws IOException;

  /** Answers a chat completion. */
  void complete(HttpExchange exchange, byte[] request) throws IOException;

  /** What was asked and is not in the file, and the other way round, each on one line. */
  List<String> wrong();

  void close();

  /** An answer of the server. */
  record Answer(int status, String type, String body) {

    void send(HttpExchange exchange) throws IOException {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /**
   * A line of the file.
   *
   * @param request what of it decides the answer; null in JSON for the list of models
   */
  record Call(JsonNode request, Answer answer) {}

  /** What of a request decides its answer; the rest may differ. */
  private static JsonNode compared(byte[] request) throws IOException {
    JsonNode body = JsonValues.parse(request);
    ObjectNode part = JsonNodeFactory.instance.objectNode();
    for (String field : List.of("messages", "tools", "response_format")) {
      if (body.has(field)) {
        part.set(field, body.get(field));
      }
    }
    return part;
  }

  /** Asks a real server and writes what it answers. */
  final class Recorder implements Tape {

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int MOST_BYTES = 16 << 20;
    private static final int BAD_GATEWAY = 502;

    private final HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String server;
    private final BufferedWriter file;
    private boolean listed;

    Recorder(URI server, Path file) throws IOException {
      this.server = server.toString().replaceFirst("(/v1)?/?$", "/v1");
      Optional.ofNullable(file.toAbsolutePath().getParent())
          .ifPresent(folder -> folder.toFile().mkdirs());
      this.file = Files.newBufferedWriter(file);
    }

    @Override
    public void models(HttpExchange exchange) throws IOException {
      Answer answer = asked(exchange, "/models", Optional.empty());
      synchronized (this) {
        if (!listed && answer.status() < BAD_GATEWAY) {
          listed = true;
          write(new Call(JsonNodeFactory.instance.nullNode(), answer));
        }
      }
      answer.send(exchange);
    }

    @Override
    public void complete(HttpExchange exchange, byte[] request) throws IOException {
      Answer answer = asked(exchange, "/chat/completions", Optional.of(request));
      write(new Call(compared(request), answer));
      answer.send(exchange);
    }

    private Answer asked(HttpExchange exchange, String path, Optional<byte[]> body)
        throws IOException {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(server + path)).timeout(PATIENCE);
      for (String name : List.of("Authorization", "Content-Type")) {
        Optional.ofNullable(exchange.getRequestHeaders().getFirst(name))
            .ifPresent(value -> request.header(name, value));
      }
      body.ifPresent(bytes -> request.POST(HttpRequest.BodyPublishers.ofByteArray(bytes)));
      try {
        HttpResponse<InputStream> reply =
            client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream in = reply.body()) {
          byte[] bytes = in.readNBytes(MOST_BYTES + 1);
          return bytes.length > MOST_BYTES
              ? failed("answered more than " + MOST_BYTES + " bytes")
              : new Answer(
                  reply.statusCode(),
                  reply.headers().firstValue("Content-Type").orElse("application/json"),
                  new String(bytes, StandardCharsets.UTF_8));
        }
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return failed("was not waited for");
      } catch (IOException unreachable) {
        return failed("cannot be asked: " + Text.message(unreachable));
      }
    }

    private Answer failed(String why) {
      ObjectNode root = JsonNodeFactory.instance.objectNode();
      root.putObject("error").put("message", "the recorded server " + server + " " + why);
      return new Answer(BAD_GATEWAY, "application/json", root.toString());
    }

    private synchronized void write(Call call) throws IOException {
      file.write(JsonValues.toJson(call) + "\n");
      file.flush();
    }

    @Override
    public List<String> wrong() {
      return List.of();
    }

    @Override
    public void close() {
      client.shutdownNow();
      try {
        file.close();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }

  /**
   * Answers as the file says. The calls come in its order; one that the file has further on, of
   * several at a time, is answered too.
   */
  final class Player implements Tape {

    private static final int REFUSED = 400;
    private static final int BEFORE_CHARS = 30;
    private static final int SHOWN_CHARS = 100;

    private final Path file;
    private final List<Call> calls = new ArrayList<>();
    private final TreeSet<Integer> open = new TreeSet<>();
    private final List<String> wrong = new ArrayList<>();
    private Optional<Answer> models = Optional.empty();

    Player(Path file) throws IOException {
      this.file = file.getFileName();
      for (String line : Files.readAllLines(file)) {
        Call call = (Call) JsonValues.read(JsonValues.parse(line), Call.class);
        if (call.request().isNull()) {
          models = Optional.of(call.answer());
        } else {
          open.add(calls.size());
          calls.add(call);
        }
      }
    }

    @Override
    public void models(HttpExchange exchange) throws IOException {
      if (models.isPresent()) {
        models.get().send(exchange);
      } else {
        FakeReply.status(exchange, REFUSED, file + " has no list of models");
      }
    }

    @Override
    public void complete(HttpExchange exchange, byte[] request) throws IOException {
      Optional<Answer> answer = answer(compared(request));
      if (answer.isPresent()) {
        answer.get().send(exchange);
      } else {
        FakeReply.status(exchange, REFUSED, wrong.getLast());
      }
    }

    private synchronized Optional<Answer> answer(JsonNode asked) {
      Optional<Integer> same =
          open.stream().filter(at -> calls.get(at).request().equals(asked)).findFirst();
      if (same.isEmpty()) {
        wrong.add(
            open.isEmpty()
                ? "was asked more than the %d calls of %s".formatted(calls.size(), file)
                : "was asked otherwise than call %d of %s: %s"
                    .formatted(
                        open.first() + 1,
                        file,
                        difference("", calls.get(open.first()).request(), asked)));
      }
      same.ifPresent(open::remove);
      return same.map(at -> calls.get(at).answer());
    }

    /** The first place where they differ, with what is there. */
    private static String difference(String at, JsonNode recorded, JsonNode asked) {
      if (recorded.isObject() && asked.isObject()) {
        TreeSet<String> names = new TreeSet<>();
        recorded.fieldNames().forEachRemaining(names::add);
        asked.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
          if (!recorded.path(name).equals(asked.path(name))) {
            String below = at.isEmpty() ? name : at + "." + name;
            return difference(below, recorded.path(name), asked.path(name));
          }
        }
      }
      if (recorded.isArray() && asked.isArray()) {
        for (int i = 0; i < Math.max(recorded.size(), asked.size()); i++) {
          if (!recorded.path(i).equals(asked.path(i))) {
            return difference(at + "[" + i + "]", recorded.path(i), asked.path(i));
          }
        }
      }
      String before = shown(recorded);
      String now = shown(asked);
      int same = 0;
      while (same < Math.min(before.length(), now.length())
          && before.charAt(same) == now.charAt(same)) {
        same++;
      }
      return "%s is %s, and was %s".formatted(at, excerpt(now, same), excerpt(before, same));
    }

    private static String shown(JsonNode value) {
      return value.isTextual() ? value.textValue() : value.toString();
    }

    private static String excerpt(String text, int from) {
      int begin = Math.max(0, from - BEFORE_CHARS);
      String part = Text.line(Text.tail(text, text.length() - begin), SHOWN_CHARS);
      return text.isEmpty() ? "missing" : (begin > 0 ? "\"…" : "\"") + part + '"';
    }

    @Override
    public synchronized List<String> wrong() {
      List<String> all = new ArrayList<>(wrong);
      if (!open.isEmpty()) {
        all.add(
            "was not asked call %d of %s: %d of %d were"
                .formatted(open.first() + 1, file, calls.size() - open.size(), calls.size()));
      }
      return all;
    }

    @Override
    public void close() {
      // it holds nothing open
    }
  }

  /** Opens a tape of either kind; what cannot be read or written fails the test. */
  static Tape open(URI server, Path file) {
    try {
      return server == null ? new Player(file) : new Recorder(server, file);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
