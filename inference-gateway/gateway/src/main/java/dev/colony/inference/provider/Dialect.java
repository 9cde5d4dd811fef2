package dev.colony.inference.provider;

import dev.colony.inference.replicas.PromptBlocks;
import java.net.URI;
import java.util.List;
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
 * @param omitted optional fields of the body, and headers, that the server does not take
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

  /** The header: some servers take none but a UUID. */
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
            "litellm"));
  }

  /**
   * The dialect of a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Dialect named(String name) {
    Dialect plain = PLAIN.name(name);
    return switch (name) {
      case DEFAULT, "litellm" -> plain;
      // They decode by the schema as it is, bounds included.
      case "vllm", "llama.cpp", "ollama" -> plain.json(JsonMode.LAX);
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
              case "library" -> "ollama";
              case "llamacpp", "llama.cpp" -> "llama.cpp";
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

  /**
   * What a server's refusal says of its dialect. Servers name the field that they do not take in
   * {@code error.param}, or in a sentence; the sentences of those that are known are matched by the
   * words that they cannot do without.
   */
  static final class Refusals {

    /** Optional fields: a reply is worth more than any of them. */
    private static final List<String> OPTIONAL =
        List.of(
            "temperature",
            "top_p",
            "seed",
            "stop_sequences",
            "stop",
            "reasoning_effort",
            "reasoning",
            "thinking",
            "parallel_tool_calls",
            "store",
            Dialect.STREAM_OPTIONS,
            EngineHints.ARGUMENTS,
            EngineHints.SESSION,
            EngineHints.PRIORITY,
            PromptBlocks.SALT);

    private Refusals() {}

    /**
     * The dialect to ask again with; empty where the refusal does not come from the dialect.
     *
     * @param param the field that the server names; empty if it names none
     * @param message the server's words
     */
    static Optional<Dialect> learn(Dialect asked, String param, String message) {
      String field = param.toLowerCase(Locale.ROOT);
      String words = message.toLowerCase(Locale.ROOT);
      return limit(asked, field, words)
          .or(() -> roles(asked, words))
          .or(() -> tools(asked, field, words))
          .or(() -> json(asked, field, words))
          .or(() -> omission(asked, field, words))
          .or(() -> streaming(asked, field, words))
          .or(() -> header(asked, words));
    }

    private static Optional<Dialect> limit(Dialect asked, String field, String words) {
      boolean named = field.equals(asked.tokenLimit()) || words.contains(asked.tokenLimit());
      boolean refused = unsupported(words) || words.contains("use 'max");
      if (!named || !refused || words.contains("context length")) {
        return Optional.empty();
      }
      return switch (asked.tokenLimit()) {
        case Dialect.MAX_TOKENS -> Optional.of(asked.tokenLimit(Dialect.MAX_COMPLETION_TOKENS));
        case Dialect.MAX_COMPLETION_TOKENS ->
            words.contains("'max_tokens'") || asked.name().equals("openai")
                ? Optional.empty()
                : Optional.of(asked.tokenLimit(Dialect.MAX_TOKENS));
        default -> Optional.empty();
      };
    }

    private static Optional<Dialect> roles(Dialect asked, String words) {
      if (!asked.alternating()
          && (words.contains("alternate") || words.contains("consecutive"))
          && (words.contains("role") || words.contains("message"))) {
        return Optional.of(asked.merging());
      }
      if (words.contains("developer") && words.contains("role")) {
        return asked.system() == SystemRole.DEVELOPER
            ? Optional.of(asked.system(SystemRole.SYSTEM))
            : Optional.empty();
      }
      boolean noSystem = words.contains("system role") || words.contains("system message");
      return noSystem && unsupported(words) && asked.system() != SystemRole.USER
          ? Optional.of(asked.system(SystemRole.USER))
          : Optional.empty();
    }

    private static Optional<Dialect> tools(Dialect asked, String field, String words) {
      boolean named =
          field.startsWith("tool")
              || words.contains("tools")
              || words.contains("tool choice")
              || words.contains("tool_choice")
              || words.contains("tool-call")
              || words.contains("function calling");
      boolean refused = unsupported(words) || words.contains("requires --");
      if (!named || !refused) {
        return Optional.empty();
      }
      if (asked.json() == JsonMode.TOOL) {
        return Optional.of(asked.json(JsonMode.PROMPT));
      }
      return asked.tools() ? Optional.of(asked.withoutTools()) : Optional.empty();
    }

    private static Optional<Dialect> json(Dialect asked, String field, String words) {
      boolean named =
          field.startsWith("response_format")
              || field.startsWith("text.format")
              || words.contains("response_format")
              || words.contains("json_schema")
              || words.contains("json_object")
              || words.contains("schema")
              || words.contains("grammar")
              || words.contains("structured output")
              || words.contains("guided");
      if (!named) {
        return Optional.empty();
      }
      return switch (asked.json()) {
        case STRICT -> Optional.of(asked.json(JsonMode.LAX));
        case LAX -> Optional.of(asked.json(JsonMode.OBJECT));
        case OBJECT -> Optional.of(asked.json(JsonMode.PROMPT));
        case TOOL, PROMPT -> Optional.empty();
      };
    }

    private static Optional<Dialect> omission(Dialect asked, String field, String words) {
      return OPTIONAL.stream()
          .filter(one -> !asked.omitted().contains(one))
          .filter(one -> field.equals(one) || field.startsWith(one + ".") || words.contains(one))
          .findFirst()
          .map(asked::omit);
    }

    private static Optional<Dialect> streaming(Dialect asked, String field, String words) {
      boolean named = field.equals("stream") || words.contains("stream");
      return asked.streams() && named && unsupported(words)
          ? Optional.of(asked.whole())
          : Optional.empty();
    }

    /** A server that refuses without a reason, as llama-cpp-python does, has not read the body. */
    private static Optional<Dialect> header(Dialect asked, String words) {
      return words.endsWith(" answered 400") && !asked.omitted().contains(Dialect.REQUEST_ID)
          ? Optional.of(asked.omit(Dialect.REQUEST_ID))
          : Optional.empty();
    }

    private static boolean unsupported(String words) {
      return words.contains("support")
          || words.contains("not permitted")
          || words.contains("not allowed")
          || words.contains("unknown")
          || words.contains("unrecognized")
          || words.contains("unexpected")
          || words.contains("extra")
          || words.contains("invalid");
    }
  }
}
