package dev.colony.inference.provider;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How one model server wants to be asked. It is known by its address or by what it says of itself,
 * set by configuration, and corrected by its refusals, see {@link Refusals}. What servers differ in
 * when they answer is not in it: all known forms are read.
 *
 * @param name of the servers that it is for, as in the configuration
 * @param auth how the key is sent
 * @param tokenLimit the field that bounds the reply
 * @param omitted optional fields of the body that the server does not take, and keywords of
 *     schemas, see {@link SchemaKeywords}
 * @param json how a reply is held to a schema
 * @param tools whether tools are sent as such; else they are described in the prompt
 * @param alternating whether two messages of one role in a row are joined
 * @param system where the preamble goes
 * @param streams whether replies are asked for in parts
 */
public record Dialect(
    String name,
    Protocol protocol,
    Auth auth,
    String tokenLimit,
    Set<String> omitted,
    JsonMode json,
    boolean tools,
    boolean alternating,
    SystemRole system,
    boolean streams) {

  /** What is spoken over HTTP. */
  public enum Protocol {
    /** {@code POST chat/completions}, as OpenAI and nearly all others. */
    CHAT_COMPLETIONS("chat/completions"),
    /** {@code POST responses}, OpenAI's newer one. */
    RESPONSES("responses"),
    /** {@code POST messages}, Anthropic's. */
    MESSAGES("messages");

    private final String path;

    Protocol(String path) {
      this.path = path;
    }

    /** Below the server's base address. */
    String path() {
      return path;
    }
  }

  /** How the key is sent. */
  public enum Auth {
    /** {@code Authorization: Bearer KEY}. */
    BEARER,
    /** {@code api-key: KEY}, Azure's. */
    API_KEY,
    /** {@code x-api-key: KEY}, Anthropic's. */
    X_API_KEY
  }

  /** How a reply is held to a schema, from the strictest to the loosest. */
  public enum JsonMode {
    /** The server decodes by the schema, in the subset that OpenAI's strict mode takes. */
    STRICT,
    /** The server is given the schema as it is. */
    LAX,
    /** The schema stands beside {@code "type": "json_object"}, and in the prompt. */
    OBJECT_SCHEMA,
    /** The server sees to it that the reply is a JSON object; the schema is in the prompt. */
    OBJECT,
    /** The schema is that of a tool which the model has to call. */
    TOOL,
    /** The schema is in the prompt, and in nothing else. */
    PROMPT
  }

  /** Where the preamble goes. */
  public enum SystemRole {
    SYSTEM,
    DEVELOPER,
    /** At the head of the first message of the user. */
    USER
  }

  static final String MAX_TOKENS = "max_tokens";
  static final String MAX_COMPLETION_TOKENS = "max_completion_tokens";
  static final String STREAM_OPTIONS = "stream_options";

  /** Of {@link #STREAM_OPTIONS}: each part counts, so that what an aborted call took is known. */
  static final String CONTINUOUS_USAGE = "continuous_usage_stats";

  /** The header; its value is a UUID: some servers answer 400 to all else. */
  static final String REQUEST_ID = "X-Request-Id";

  /** The one that is taken for a server that is not known. */
  public static final String DEFAULT = "default";

  private static final Set<String> HOSTED =
      Set.of("openai", "openai-responses", "azure", "anthropic", "gemini", "mistral", "deepseek");

  private static final Dialect PLAIN =
      new Dialect(
          DEFAULT,
          Protocol.CHAT_COMPLETIONS,
          Auth.BEARER,
          MAX_TOKENS,
          Set.of(),
          JsonMode.STRICT,
          true,
          false,
          SystemRole.SYSTEM,
          true);

  public Dialect {
    omitted = Set.copyOf(omitted);
  }

  /** The names that {@link #named} knows, in their order. */
  public static Set<String> names() {
    return new TreeSet<>(
        Set.of(
            DEFAULT,
            "openai",
            "openai-responses",
            "azure",
            "anthropic",
            "gemini",
            "mistral",
            "deepseek",
            "vllm",
            "ollama",
            "llama.cpp",
            "llama-cpp-python",
            "litellm",
            "dynamo"));
  }

  /**
   * The dialect of a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Dialect named(String name) {
    Dialect plain = PLAIN.name(name);
    return switch (name) {
      case DEFAULT, "litellm", "dynamo" -> plain;
      // They decode by the schema as it is, bounds included.
      case "vllm", "llama.cpp", "ollama" -> plain.json(JsonMode.LAX);
      case "llama-cpp-python" -> plain.json(JsonMode.OBJECT_SCHEMA);
      case "openai" -> plain.tokenLimit(MAX_COMPLETION_TOKENS);
      case "openai-responses" ->
          plain.protocol(Protocol.RESPONSES, Auth.BEARER, "max_output_tokens");
      case "azure" ->
          plain.protocol(Protocol.CHAT_COMPLETIONS, Auth.API_KEY, MAX_COMPLETION_TOKENS);
      case "anthropic" ->
          plain.protocol(Protocol.MESSAGES, Auth.X_API_KEY, MAX_TOKENS).json(JsonMode.TOOL);
      case "gemini" -> plain.json(JsonMode.LAX).omit("seed");
      case "mistral" -> plain.omit(STREAM_OPTIONS).omit("seed").omit("reasoning_effort");
      case "deepseek" -> plain.json(JsonMode.OBJECT);
      default ->
          throw new IllegalArgumentException(
              "there is no dialect \"" + name + "\": known are " + String.join(", ", names()));
    };
  }

  /**
   * Whether it is that of a hosted service: one that answers calls, and has neither a path for
   * health nor the metrics of an engine.
   */
  boolean hosted() {
    return HOSTED.contains(name);
  }

  /** By the address, where that belongs to a provider that is known. */
  static Optional<Dialect> at(URI server) {
    String host = Optional.ofNullable(server.getHost()).orElse("").toLowerCase(Locale.ROOT);
    return Optional.ofNullable(
            switch (host) {
              case "api.openai.com" -> "openai";
              case "api.anthropic.com" -> "anthropic";
              case "api.deepseek.com" -> "deepseek";
              case "api.mistral.ai" -> "mistral";
              case "generativelanguage.googleapis.com" -> "gemini";
              default -> host.endsWith(".azure.com") || host.endsWith(".azure.us") ? "azure" : null;
            })
        .map(Dialect::named);
  }

  /**
   * By what a server says of itself in its list of models.
   *
   * @param owner {@code owned_by} of a model
   * @param header the {@code Server} header, or the name of a header that only one server sends
   */
  static Optional<Dialect> of(String owner, String header) {
    String by = owner.toLowerCase(Locale.ROOT);
    String server = header.toLowerCase(Locale.ROOT);
    if (server.contains("litellm")) {
      return Optional.of(named("litellm"));
    }
    if (server.contains("llama.cpp")) {
      return Optional.of(named("llama.cpp"));
    }
    return Optional.ofNullable(
            switch (by) {
              case "vllm" -> "vllm";
              case "nvidia" -> "dynamo";
              case "library" -> "ollama";
              case "llamacpp", "llama.cpp" -> "llama.cpp";
              case "me" -> server.contains("uvicorn") ? "llama-cpp-python" : null;
              default -> null;
            })
        .map(Dialect::named);
  }

  Dialect name(String other) {
    return new Dialect(
        other, protocol, auth, tokenLimit, omitted, json, tools, alternating, system, streams);
  }

  Dialect protocol(Protocol spoken, Auth key, String limit) {
    return new Dialect(
        name, spoken, key, limit, omitted, json, tools, alternating, system, streams);
  }

  Dialect tokenLimit(String field) {
    return new Dialect(
        name, protocol, auth, field, omitted, json, tools, alternating, system, streams);
  }

  Dialect omit(String field) {
    Set<String> more = new TreeSet<>(omitted);
    more.add(field);
    return new Dialect(
        name, protocol, auth, tokenLimit, more, json, tools, alternating, system, streams);
  }

  Dialect json(JsonMode mode) {
    return new Dialect(
        name, protocol, auth, tokenLimit, omitted, mode, tools, alternating, system, streams);
  }

  Dialect withoutTools() {
    return new Dialect(
        name, protocol, auth, tokenLimit, omitted, json, false, alternating, system, streams);
  }

  Dialect merging() {
    return new Dialect(
        name, protocol, auth, tokenLimit, omitted, json, tools, true, system, streams);
  }

  Dialect system(SystemRole role) {
    return new Dialect(
        name, protocol, auth, tokenLimit, omitted, json, tools, alternating, role, streams);
  }

  Dialect whole() {
    return new Dialect(
        name, protocol, auth, tokenLimit, omitted, json, tools, alternating, system, false);
  }

  /** With the next looser mode of JSON; empty where there is none. */
  Optional<Dialect> looser() {
    return switch (json) {
      case STRICT -> Optional.of(json(JsonMode.LAX));
      case LAX, OBJECT_SCHEMA -> Optional.of(json(JsonMode.OBJECT));
      case OBJECT -> Optional.of(json(JsonMode.PROMPT));
      case TOOL, PROMPT -> Optional.empty();
    };
  }

  /**
   * With what another has of schemas: the looser mode, the keywords that are left out, and whether
   * tools are sent.
   */
  Dialect forSchemas(Dialect other) {
    Set<String> more = new TreeSet<>(omitted);
    other.omitted.stream().filter(one -> one.startsWith(SchemaKeywords.MARK)).forEach(more::add);
    JsonMode looser = json.compareTo(other.json) < 0 ? other.json : json;
    return new Dialect(
        name,
        protocol,
        auth,
        tokenLimit,
        more,
        looser,
        tools && other.tools,
        alternating,
        system,
        streams);
  }

  /** On one line, for an operator. */
  public String describe() {
    return "%s: %s, %s, JSON %s, tools %s, preamble as %s%s%s%s"
        .formatted(
            name,
            protocol.path(),
            tokenLimit,
            json.name().toLowerCase(Locale.ROOT),
            tools ? "native" : "by prompt",
            system.name().toLowerCase(Locale.ROOT),
            alternating ? ", messages of one role joined" : "",
            streams ? "" : ", not streamed",
            omitted.isEmpty() ? "" : ", without " + String.join(", ", new TreeSet<>(omitted)));
  }
}
