package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceException;
import dev.colony.inference.Sampling;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolChoice;
import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.function.Consumer;

/**
 * Asks models by other means than a {@link ModelServer}: a library that is on the class path. Found
 * by {@link ServiceLoader}, by the name that a model of {@code colony.inference.models} gives as
 * {@code provider}. Schemas, repairs, timeouts, retries, budgets and admission are the gateway's.
 */
public interface ModelProvider {

  /** By which models name it. */
  String name();

  /**
   * Prepares for asking a model; called once for each, when a gateway starts. Asks it nothing.
   *
   * @throws IllegalArgumentException naming a setting that is wrong, on one line
   */
  Chat open(Settings settings);

  /**
   * A model that is to be asked.
   *
   * @param path of the model's settings, for what is said of a bad one
   * @param model by the name of who serves it; empty where none is set
   * @param apiKey never to be logged
   * @param config {@code provider-settings}
   */
  record Settings(String path, Optional<String> model, Optional<String> apiKey, Config config) {

    @Override
    public String toString() {
      return "Settings[path=%s, model=%s, apiKey=%s]"
          .formatted(path, model.orElse(""), apiKey.isPresent() ? "set" : "none");
    }
  }

  /** A model that can be asked. Thread-safe. */
  interface Chat extends AutoCloseable {

    /** Whether replies come in parts. */
    boolean streams();

    /**
     * Asks once. Does not block.
     *
     * @param parts takes the reply's parts, in their order, from any thread but one at a time, the
     *     last an {@link End}; what comes after that is dropped. Does not block
     * @return ends it, so that the model stops generating; does nothing where it has ended
     */
    Runnable ask(Question question, Consumer<Part> parts);

    /** Ends what is under way. */
    @Override
    void close();
  }

  /**
   * What a model is asked. What is optional and what the model has refused before is left out.
   *
   * @param model by the name of who serves it; empty where none is set
   * @param system first message; empty for none
   * @param messages those after it, at least one; pages are the first of them, messages of the user
   * @param toolChoice {@link ToolChoice#AUTO} where there are no tools
   * @param json whether the text of the reply has to be a JSON object
   * @param schema that the text has to satisfy; empty for any
   * @param maxTokens bound on the reply, reasoning included
   * @param extraFields what the caller has sent besides, by the names that OpenAI has for them
   */
  record Question(
      Optional<String> model,
      String system,
      List<ChatMessage> messages,
      List<Tool> tools,
      ToolChoice toolChoice,
      boolean json,
      Optional<JsonNode> schema,
      Sampling sampling,
      int maxTokens,
      Map<String, JsonNode> extraFields) {}

  /** What comes of a question. */
  sealed interface Part {}

  /** More of the text. */
  record Text(String more) implements Part {}

  /** More of the reasoning. */
  record Reasoning(String more) implements Part {}

  /**
   * More of a tool call.
   *
   * @param index which one; parts of a call have the same
   * @param id empty if it has come before, or there is none
   * @param name empty if it has come before
   */
  record ToolArguments(int index, String id, String name, String more) implements Part {}

  /** Nothing follows. */
  sealed interface End extends Part {}

  /**
   * The reply is whole.
   *
   * @param used empty where it is not told, and is estimated
   * @param model that answered; empty where it is not told
   */
  record Finished(FinishReason reason, Optional<Tokens> used, String model) implements End {}

  /**
   * What a reply took.
   *
   * @param prompt all of the prompt
   * @param cached those of them that came from a cache; empty where it is not told
   * @param completion all of the reply
   * @param reasoning those of them that the model reasoned with
   */
  record Tokens(long prompt, OptionalLong cached, long completion, long reasoning) {}

  /**
   * Who serves the model has answered with an error status of HTTP. The gateway reads status,
   * headers and body as it does a model server's.
   *
   * @param headers as far as they are known
   */
  record ErrorStatus(int status, HttpHeaders headers, String body, Throwable cause)
      implements End {}

  /**
   * There is no reply, or no more of it.
   *
   * @param what on one line, of the model or of who serves it: "broke off its reply: reset"
   */
  record Failed(InferenceException.Kind kind, String what, Throwable cause) implements End {}

  /**
   * The provider of a name.
   *
   * @param path of the setting, for what is said of a name that none has
   * @throws IllegalArgumentException naming those that are on the class path
   */
  static ModelProvider named(String path, String name) {
    List<ModelProvider> all;
    try {
      all = ServiceLoader.load(ModelProvider.class).stream().map(Provider::get).toList();
    } catch (ServiceConfigurationError broken) {
      throw new IllegalArgumentException(
          "%s = %s: a provider on the class path cannot be loaded: %s"
              .formatted(path, name, broken.getMessage()),
          broken);
    }
    return all.stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "%s = %s is not on the class path, allowed are those that are: %s; put its jar there"
                    .formatted(
                        path, name, all.stream().map(ModelProvider::name).sorted().toList())));
  }
}
