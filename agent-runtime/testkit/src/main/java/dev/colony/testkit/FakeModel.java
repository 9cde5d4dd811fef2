package dev.colony.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.GatewaySettings.Bounds;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A model server that answers as a test says: it expects prompts, answers each as scripted, well or
 * badly, and fails the test that asks for something else or leaves something out. It speaks the
 * OpenAI chat completions protocol over HTTP on a free port of the loopback address, so that the
 * client, its retries and its repairs are the real ones.
 *
 * <pre>{@code
 * try (FakeModel model = FakeModel.start()) {
 *   model.expect("bow").act("docs.glossary.look_up", Map.of("term", "bow"));
 *   model.expect("the front of a ship").complete("the front of a ship");
 *   ...
 * } // fails if a prompt was expected that did not come, or one came that was not expected
 * }</pre>
 *
 * <p>A prompt is answered by the first expectation that it meets and that is not used up; an
 * attempt that is made again is another prompt. What no expectation is for is answered with status
 * 400, which no client repeats. Thread-safe.
 */
public final class FakeModel implements AutoCloseable {

  /** The name of the model that it serves. */
  public static final String MODEL = "fake";

  private static final int REFUSED = 400;
  private static final int SHOWN = 160;
  private static final int SHOWN_EXPECTATIONS = 3;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /**
   * A chat completion that was asked for.
   *
   * @param system the system message; empty without one
   * @param messages the others in their order: pages, what the policy says, repairs
   * @param schema that the answer has to satisfy
   * @param tools that are offered, as the request names them
   * @param streamed whether the answer is to come as server-sent events
   * @param temperature as it is asked for; empty for the server's own
   * @param maxTokens that the answer may have
   */
  public record Prompt(
      String system,
      List<String> messages,
      Optional<JsonNode> schema,
      List<JsonNode> tools,
      boolean streamed,
      OptionalDouble temperature,
      int maxTokens) {

    static Prompt of(JsonNode body) {
      StringBuilder system = new StringBuilder();
      List<String> messages = new ArrayList<>();
      for (JsonNode message : body.path("messages")) {
        String content = message.path("content").asText();
        if (message.path("role").asText().equals("system")) {
          system.append(content);
        } else {
          messages.add(content);
        }
      }
      JsonNode schema = body.path("response_format").path("json_schema").path("schema");
      return new Prompt(
          system.toString(),
          List.copyOf(messages),
          schema.isObject() ? Optional.of(schema) : Optional.empty(),
          body.path("tools").valueStream().map(tool -> tool.path("function")).toList(),
          body.path("stream").asBoolean(false),
          body.path("temperature").isNumber()
              ? OptionalDouble.of(body.path("temperature").doubleValue())
              : OptionalDouble.empty(),
          body.path("max_completion_tokens").asInt(body.path("max_tokens").asInt()));
    }

    /** All of it, in its order: tools, system message, messages. */
    public String text() {
      String offered = tools.stream().map(tool -> tool + "\n").collect(Collectors.joining());
      return offered + system + "\n" + String.join("\n", messages);
    }

    /** Whether a tool of that name is offered. */
    public boolean offers(String tool) {
      return tools.stream().anyMatch(one -> one.path("name").asText().equals(tool));
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Expectation> expected = new ArrayList<>();
  private final List<Prompt> prompts = new ArrayList<>();
  private final List<Prompt> unexpected = new ArrayList<>();
  private final Optional<Tape> tape;
  private Optional<InferenceGateway> gateway = Optional.empty();
  private boolean closed;
  private volatile boolean tools = true;

  private FakeModel(HttpServer server, Optional<Tape> tape) {
    this.server = server;
    this.tape = tape;
  }

  /** Serves on a free port of the loopback address until it is closed. */
  public static FakeModel start() {
    return start(Optional.empty());
  }

  /**
   * Hands each call on to a real server and writes it with its answer into a file, for {@link
   * #replaying}. Keys of the server are not written. It expects nothing, and fails no test.
   *
   * @param real the address of an OpenAI-compatible server, with or without {@code /v1}
   * @param file is written anew, a JSON object a line
   */
  public static FakeModel recording(URI real, Path file) {
    return start(Optional.of(Tape.open(real, file)));
  }

  /**
   * Answers as a file of {@link #recording} has it. A call whose messages, tools and form of the
   * reply are none that the file still has is refused, with the first difference from the next one
   * on one line, and fails the test; so does a call of the file that is not made.
   */
  public static FakeModel replaying(Path file) {
    return start(Optional.of(Tape.open(null, file)));
  }

  private static FakeModel start(Optional<Tape> tape) {
    try {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      FakeModel model =
          new FakeModel(HttpServer.create(new InetSocketAddress(loopback, 0), 0), tape);
      model.server.setExecutor(model.threads);
      model.server.createContext("/v1/models", model::models);
      model.server.createContext("/v1/chat/completions", model::complete);
      model.server.start();
      return model;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Refuses tools from here on, as servers do that have none: clients describe them in prompts. */
  public FakeModel withoutTools() {
    tools = false;
    return this;
  }

  /** Where it is, for {@code --model-url} and the settings of a node. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1");
  }

  /**
   * A gateway whose only replica this is, with the settings of the class path but pauses of
   * milliseconds between attempts; closed with it.
   */
  public synchronized InferenceGateway gateway() {
    if (gateway.isEmpty()) {
      var config = ConfigFactory.load();
      Replica here = new Replica(MODEL, uri(), "test");
      gateway =
          Optional.of(
              new HttpInferenceGateway(
                  GatewaySettings.fromConfig(config)
                      .within(Bounds.USUAL.waiting(Duration.ofMillis(1), Duration.ofMillis(5))),
                  ModelCatalog.fromConfig(config),
                  RoutingSettings.fromConfig(config),
                  "test",
                  ReplicaSet.of(() -> List.of(here)),
                  ResidencyView.NONE,
                  CallObserver.NONE,
                  BacklogExchange.NONE));
    }
    return gateway.get();
  }

  /** Expects one prompt that holds all of these texts; without any, any prompt. */
  public Expectation expect(String... parts) {
    List<String> all = List.of(parts);
    return add(
        new Expectation(
            all.isEmpty()
                ? "any prompt"
                : all.stream().map(part -> '"' + part + '"').collect(Collectors.joining(" and ")),
            all,
            prompt -> all.stream().allMatch(prompt.text()::contains)));
  }

  /**
   * Expects one prompt.
   *
   * @param what names it in failures
   */
  public Expectation expect(String what, Predicate<Prompt> meets) {
    return add(new Expectation(what, List.of(), meets));
  }

  private synchronized Expectation add(Expectation next) {
    expected.add(next);
    return next;
  }

  /** All prompts so far, in the order in which they came. */
  public synchronized List<Prompt> prompts() {
    return List.copyOf(prompts);
  }

  /** How many prompts have come so far. */
  public synchronized int count() {
    return prompts.size();
  }

  /**
   * Fails if something was asked for that was not expected, or the other way round.
   *
   * @throws AssertionError on one line that says what
   */
  public synchronized void verify() {
    List<String> wrong = new ArrayList<>();
    for (Prompt one : unexpected) {
      wrong.add("was asked what nothing expects: " + shown(one));
    }
    for (Expectation one : expected) {
      one.missing().ifPresent(wrong::add);
    }
    tape.map(Tape::wrong).ifPresent(wrong::addAll);
    if (!wrong.isEmpty()) {
      throw new AssertionError("the model " + String.join("; ", wrong));
    }
  }

  private static String shown(Prompt prompt) {
    String last = prompt.messages().isEmpty() ? prompt.system() : prompt.messages().getLast();
    String line = last.strip().replaceAll("\\s+", " ");
    return Text.cut(line, SHOWN);
  }

  /** Ends the server and {@link #verify verifies}; called again it does nothing. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      expected.forEach(Expectation::release);
      gateway.ifPresent(InferenceGateway::close);
    }
    server.stop(0);
    threads.shutdownNow();
    tape.ifPresent(Tape::close);
    verify();
  }

  private void models(HttpExchange exchange) throws IOException {
    if (tape.isPresent()) {
      try (exchange) {
        tape.get().models(exchange);
      }
      return;
    }
    ObjectNode list = JSON.objectNode().put("object", "list");
    list.putArray("data").addObject().put("id", MODEL).put("object", "model");
    try (exchange) {
      FakeReply.json(exchange, list);
    }
  }

  private void complete(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] request = exchange.getRequestBody().readAllBytes();
      Prompt prompt = Prompt.of(JsonValues.parse(request));
      if (tape.isPresent()) {
        synchronized (this) {
          prompts.add(prompt);
        }
        tape.get().complete(exchange, request);
        return;
      }
      if (!tools && !prompt.tools().isEmpty()) {
        FakeReply.status(exchange, REFUSED, "this model does not support tools");
        return;
      }
      Optional<Expectation> met = met(prompt);
      if (met.isEmpty()) {
        FakeReply.status(
            exchange,
            REFUSED,
            "no expectation of the test is for this prompt: " + mismatch(prompt));
      } else {
        met.get().reply(exchange, prompt);
      }
    }
  }

  /** What was asked, and in what that differs from what is expected still, on one line. */
  private synchronized String mismatch(Prompt prompt) {
    List<String> open =
        expected.stream()
            .filter(Expectation::open)
            .limit(SHOWN_EXPECTATIONS)
            .map(one -> one.difference(prompt))
            .toList();
    return "%s (asked); %s (expected)"
        .formatted(
            shown(prompt),
            open.isEmpty()
                ? expected.isEmpty() ? "nothing" : "nothing more"
                : String.join(", or ", open));
  }

  private synchronized Optional<Expectation> met(Prompt prompt) {
    prompts.add(prompt);
    Optional<Expectation> met = expected.stream().filter(one -> one.take(prompt)).findFirst();
    if (met.isEmpty()) {
      unexpected.add(prompt);
    }
    return met;
  }
}
