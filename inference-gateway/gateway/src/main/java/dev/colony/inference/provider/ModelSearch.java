package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.inference.provider.FoundServer.Kind;
import dev.colony.inference.provider.FoundServer.Model;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Looks which model servers listen on this machine, and asks each what it is and has. It reads a
 * bounded number of bytes in a bounded time, follows no redirect and leaves the loopback address
 * only where it is told an address. What does not answer as a model server does is passed over.
 */
public final class ModelSearch {

  /** Where servers listen as they come: Ollama, LM Studio, llama.cpp, vLLM and SGLang. */
  public static final List<Integer> PORTS = List.of(11434, 1234, 8080, 8000);

  /** Where was looked, for a line that says that no server was found. */
  public static final String LOOKED =
      "looked at ports 11434 (Ollama), 1234 (LM Studio), 8080 (llama.cpp) and 8000 (vLLM, SGLang)"
          + " of this machine";

  /** In which each takes a connection: on this machine at once, unless its queue is full. */
  private static final Duration CONNECT = Duration.ofMillis(12);

  /** In which all of them begin an answer, or are passed over. */
  private static final Duration ANSWER = Duration.ofMillis(150);

  /** In which those that do say what they are and have; a JVM loads its client meanwhile. */
  private static final Duration TELL = Duration.ofSeconds(5);

  /** Of one answer; a list of some thousand models fits. */
  private static final int MOST_BYTES = 1 << 20;

  /** Of the models of one server; what more it lists is left out. */
  private static final int MOST_MODELS = 200;

  /** How many models of Ollama are asked about one by one, where its list does not say enough. */
  private static final int MOST_SHOWN = 16;

  private static final String HTTP = "HTTP/";

  private ModelSearch() {}

  /** Those on the usual ports, in the order of these. Sends no key to a server it is not told. */
  public static List<FoundServer> onThisMachine(ProviderSettings settings)
      throws InterruptedException {
    return on(PORTS, settings);
  }

  static List<FoundServer> on(List<Integer> ports, ProviderSettings settings)
      throws InterruptedException {
    ProviderSettings keyless =
        new ProviderSettings(
            settings.model(),
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            settings.body(),
            settings.bounds());
    List<URI> open = knock(ports);
    // Its classes take longer to load than a search may where nothing listens.
    return open.isEmpty() ? List.of() : look(open, keyless, TELL);
  }

  /** What is at an address that the operator names; empty where it answers as no model server. */
  public static Optional<FoundServer> at(URI server, ProviderSettings settings, Duration timeout)
      throws InterruptedException {
    return look(List.of(server), settings, timeout).stream().findFirst();
  }

  /**
   * The loopback addresses where something begins to answer by HTTP. By one thread and plain
   * sockets, since a command that finds nothing is not to wait for more to be loaded.
   */
  private static List<URI> knock(List<Integer> ports) {
    Map<Integer, Socket> asked = new LinkedHashMap<>();
    try {
      for (int port : ports) {
        asked(port).ifPresent(socket -> asked.put(port, socket));
      }
      long end = System.nanoTime() + ANSWER.toNanos();
      return asked.entrySet().stream()
          .filter(one -> answers(one.getValue(), end))
          .map(one -> URI.create("http://127.0.0.1:" + one.getKey()))
          .toList();
    } finally {
      asked.values().forEach(ModelSearch::close);
    }
  }

  private static Optional<Socket> asked(int port) {
    Socket socket = new Socket();
    try {
      socket.connect(
          new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port),
          (int) CONNECT.toMillis());
      String request =
          "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n".formatted(port);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return Optional.of(socket);
    } catch (IOException none) {
      close(socket);
      return Optional.empty();
    }
  }

  private static boolean answers(Socket socket, long end) {
    try {
      for (int i = 0; i < HTTP.length(); i++) {
        // What has come is read even where the time is over.
        socket.setSoTimeout(millis(end));
        if (socket.getInputStream().read() != HTTP.charAt(i)) {
          return false;
        }
      }
      return true;
    } catch (IOException none) {
      return false;
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException closed) {
      // As wanted.
    }
  }

  private static int millis(long end) {
    return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
  }

  private static List<FoundServer> look(
      List<URI> servers, ProviderSettings settings, Duration timeout) throws InterruptedException {
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    HttpClient http = ModelServer.httpClient(threads);
    long end = System.nanoTime() + timeout.toNanos();
    try {
      List<Future<Optional<FoundServer>>> asked =
          servers.stream()
              .map(server -> threads.submit(() -> new Questions(server, settings, http, end).all()))
              .toList();
      List<FoundServer> found = new ArrayList<>();
      for (Future<Optional<FoundServer>> one : asked) {
        result(one, end).flatMap(all -> all).ifPresent(found::add);
      }
      return found;
    } finally {
      http.shutdownNow();
      threads.shutdownNow();
    }
  }

  private static <T> Optional<T> result(Future<T> future, long end) throws InterruptedException {
    try {
      return Optional.of(future.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS));
    } catch (ExecutionException | TimeoutException none) {
      return Optional.empty();
    }
  }

  /** What one server is asked, one after the other. */
  private static final class Questions {

    private final ModelServer server;
    private final ProviderSettings settings;
    private final long end;

    Questions(URI url, ProviderSettings settings, HttpClient http, long end) {
      this.server = new ModelServer(url, settings, new HttpExchanges(http, MOST_BYTES), "colony");
      this.settings = settings;
      this.end = end;
    }

    Optional<FoundServer> all() throws InterruptedException {
      List<ServedModel> listed = listed();
      Kind kind = settings.hosted(server.base()) ? Kind.HOSTED : kind(listed);
      if (kind == Kind.COLONY || kind == Kind.OPENAI_COMPATIBLE && listed.isEmpty()) {
        return Optional.empty();
      }
      List<Model> models =
          switch (kind) {
            case OLLAMA -> ollama();
            case LM_STUDIO -> lmStudio();
            case LITELLM -> litellm(listed);
            case LLAMA_CPP -> llamaCpp(listed);
            case TGI -> with(listed, ask("info").path("max_total_tokens"), Optional.empty());
            case SGLANG -> sglang(listed);
            case LLAMA_CPP_PYTHON, VLLM, HOSTED, OPENAI_COMPATIBLE, COLONY ->
                with(listed, JsonNodeFactory.instance.missingNode(), Optional.empty());
          };
      List<Model> kept = models.stream().limit(MOST_MODELS).toList();
      return Optional.of(FoundServer.of(server.base(), kind, kept, settings.model()));
    }

    private Duration left() {
      return Duration.ofNanos(Math.max(1, end - System.nanoTime()));
    }

    private JsonNode ask(String path) throws InterruptedException {
      return server.told(path, left());
    }

    private List<ServedModel> listed() throws InterruptedException {
      try {
        return server.models(left());
      } catch (CallFailure none) {
        return List.of();
      }
    }

    /** By what the list says of its maker, else by a path that only one kind answers. */
    private Kind kind(List<ServedModel> listed) throws InterruptedException {
      Optional<Kind> said =
          Kind.of(server.dialect().name(), listed.isEmpty() ? "" : listed.getFirst().owner());
      if (said.isPresent()) {
        return said.get();
      }
      if (lists(ask("api/tags").path("models"), "name")) {
        return Kind.OLLAMA;
      }
      if (lists(ask("api/v0/models").path("data"), "id")) {
        return Kind.LM_STUDIO;
      }
      if (ask("info").path("model_id").isTextual()) {
        return Kind.TGI;
      }
      JsonNode ready = ask("health/readiness");
      return ready.has("litellm_version") || ready.has("db")
          ? Kind.LITELLM
          : Kind.OPENAI_COMPATIBLE;
    }

    private static boolean lists(JsonNode models, String name) {
      return models.isArray() && models.valueStream().allMatch(one -> one.path(name).isTextual());
    }

    /** Models of a server that has loaded what it lists. */
    private static List<Model> with(
        List<ServedModel> listed, JsonNode context, Optional<Boolean> tools) {
      return listed.stream()
          .map(one -> one.context(context))
          .map(one ->
              new Model(
                  one.id(),
                  one.contextTokens(),
                  OptionalLong.empty(),
                  OptionalLong.empty(),
                  true,
                  one.chats(),
                  false,
                  tools))
          .toList();
    }

    private List<Model> llamaCpp(List<ServedModel> listed) throws InterruptedException {
      JsonNode props = ask("props");
      JsonNode tools = props.path("chat_template_caps").path("supports_tools");
      return with(
          listed,
          props.path("default_generation_settings").path("n_ctx"),
          tools.isBoolean() ? Optional.of(tools.booleanValue()) : Optional.empty());
    }

    private List<Model> sglang(List<ServedModel> listed) throws InterruptedException {
      boolean answers = ask("get_model_info").path("is_generation").asBoolean(true);
      return with(listed, JsonNodeFactory.instance.missingNode(), Optional.empty()).stream()
          .map(one -> answers ? one : one.silent())
          .toList();
    }

    /** {@code /api/ps} has what is loaded; newer {@code /api/tags} has what older ones show. */
    private List<Model> ollama() throws InterruptedException {
      Map<String, Long> loaded = new HashMap<>();
      for (JsonNode one : ask("api/ps").path("models")) {
        loaded.put(one.path("model").asText(), one.path("context_length").asLong(0));
      }
      List<Model> models = new ArrayList<>();
      int shown = 0;
      for (JsonNode tag : ask("api/tags").path("models")) {
        String id = tag.path("model").asText(tag.path("name").asText());
        JsonNode facts = tag;
        if (!tag.path("capabilities").isArray() && shown++ < MOST_SHOWN) {
          facts =
              server.told(
                  "api/show",
                  BodyPublishers.ofByteArray(
                      HttpExchanges.bytes(JsonNodeFactory.instance.objectNode().put("model", id))),
                  left());
        }
        List<String> can = texts(facts.path("capabilities"));
        boolean chats = can.isEmpty() || can.contains("completion");
        models.add(
            new Model(
                id,
                positive(loaded.getOrDefault(id, 0L)),
                positive(trained(facts)),
                positive(tag.path("size").asLong(0)),
                loaded.containsKey(id),
                chats && ServedModel.named(id).chats(),
                tag.hasNonNull("remote_host") || id.endsWith("cloud"),
                can.isEmpty() ? Optional.empty() : Optional.of(can.contains("tools"))));
      }
      return models;
    }

    /** {@code ARCHITECTURE.context_length}, or where newer lists have it. */
    private static long trained(JsonNode facts) {
      return Stream.concat(
              facts.path("model_info").properties().stream()
                  .filter(one -> one.getKey().endsWith(".context_length"))
                  .map(Map.Entry::getValue),
              Stream.of(facts.path("details").path("context_length")))
          .mapToLong(JsonNode::asLong)
          .max()
          .orElse(0);
    }

    private List<Model> lmStudio() throws InterruptedException {
      List<Model> models = new ArrayList<>();
      for (JsonNode one : ask("api/v0/models").path("data")) {
        String id = one.path("id").asText();
        JsonNode can = one.path("capabilities");
        models.add(
            new Model(
                id,
                positive(one.path("loaded_context_length").asLong(0)),
                positive(one.path("max_context_length").asLong(0)),
                OptionalLong.empty(),
                one.path("state").asText().equals("loaded"),
                !one.path("type").asText().equals("embeddings") && ServedModel.named(id).chats(),
                false,
                can.isArray() ? Optional.of(texts(can).contains("tool_use")) : Optional.empty()));
      }
      return models;
    }

    private List<Model> litellm(List<ServedModel> listed) throws InterruptedException {
      Map<String, JsonNode> info = new HashMap<>();
      for (JsonNode one : ask("model/info").path("data")) {
        info.putIfAbsent(one.path("model_name").asText(), one.path("model_info"));
      }
      return listed.stream()
          .map(one -> {
            JsonNode facts = info.getOrDefault(one.id(), JsonNodeFactory.instance.nullNode());
            JsonNode tools = facts.path("supports_function_calling");
            return new Model(
                one.id(),
                one.context(facts.path("max_input_tokens")).contextTokens(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                false,
                one.chats() && List.of("chat", "").contains(facts.path("mode").asText("")),
                true,
                tools.isBoolean() ? Optional.of(tools.booleanValue()) : Optional.empty());
          })
          .toList();
    }

    private static List<String> texts(JsonNode array) {
      return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
    }

    private static OptionalLong positive(long number) {
      return number > 0 ? OptionalLong.of(number) : OptionalLong.empty();
    }
  }
}
