package dev.colony.inference.provider;

import dev.colony.inference.provider.Dialect.JsonMode;
import dev.colony.inference.provider.Dialect.SystemRole;
import dev.colony.inference.replicas.PromptBlocks;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What a server's refusal says of its dialect. Servers name the field that they do not take in
 * {@code error.param}, or in a sentence; the sentences of those that are known are matched by the
 * words that they cannot do without.
 */
final class Refusals {

  /** Optional fields: a reply is worth more than any of them. */
  private static final List<String> OPTIONAL =
      List.of(
          EngineHints.CONTINUE,
          EngineHints.REPETITION,
          "temperature",
          "top_p",
          "seed",
          "stop_sequences",
          "stop",
          "reasoning_effort",
          "reasoning",
          "thinking",
          "frequency_penalty",
          "parallel_tool_calls",
          "store",
          Dialect.STREAM_OPTIONS,
          EngineHints.ARGUMENTS,
          EngineHints.SESSION,
          EngineHints.PRIORITY,
          PromptBlocks.SALT);

  /** What is said of a schema that is no fault of the format. */
  private static final List<String> OF_SCHEMA =
      List.of(
          "grammar error",
          "unimplemented key",
          "features not supported",
          "invalid schema",
          "schema conversion failed",
          "schema error at",
          "failed to parse grammar",
          "failed to convert",
          "grammar compilation",
          "compile grammar",
          "compiling grammar");

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
        .or(() -> streaming(asked, field, words));
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
    boolean beside =
        words.contains("'text' or 'json_object'")
            && asked.json().compareTo(JsonMode.OBJECT_SCHEMA) < 0;
    return beside ? Optional.of(asked.json(JsonMode.OBJECT_SCHEMA)) : asked.looser();
  }

  /**
   * Whether it is one schema that the server cannot hold a reply to, and not the format: vLLM's and
   * llama.cpp's engines refuse what their grammars have no form for, OpenAI what its subset has
   * none for.
   */
  static boolean ofSchema(String message) {
    String words = message.toLowerCase(Locale.ROOT);
    return OF_SCHEMA.stream().anyMatch(words::contains);
  }

  private static Optional<Dialect> omission(Dialect asked, String field, String words) {
    if (words.contains("prefill") && EngineHints.goesOn(asked)) {
      return Optional.of(asked.omit(EngineHints.CONTINUE));
    }
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
