package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.Sampling;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.provider.Dialect.JsonMode;
import dev.colony.inference.provider.Exchange.Wire;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * OpenAI's chat completions, as OpenAI and those that follow it speak them. Read are all forms that
 * are known: {@code reasoning_content} (DeepSeek, vLLM) and {@code reasoning} (Ollama, OpenRouter),
 * content in parts (Mistral), cached tokens in the details or as {@code prompt_cache_hit_tokens}.
 */
final class ChatCompletions implements Wire {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** vLLM, SGLang and llama.cpp honour it, each also below a grammar. */
  private static final String FREQUENCY_PENALTY = "frequency_penalty";

  /** vLLM's word for a reply that it has ended. */
  private static final String REPEATED = "repetition";

  private static final String MAX_LENGTH = "maxLength";
  private static final int LONGEST_TEXT = 900;

  private static final double AGAINST_LOOPS = 0.6;

  @Override
  public ObjectNode body(Exchange exchange) {
    ObjectNode root = JSON.objectNode().put("model", exchange.model());
    ArrayNode messages = root.putArray("messages");
    if (!exchange.system().isEmpty()) {
      messages.addObject().put("role", role(exchange)).put("content", exchange.system());
    }
    exchange.messages().forEach(message -> add(messages, message, role(exchange)));
    tools(root, exchange, true);
    root.put(exchange.dialect().tokenLimit(), exchange.maxTokens());
    Sampling sampling = exchange.sampling();
    sampling.temperature().ifPresent(value -> root.set("temperature", number(value)));
    sampling.topP().ifPresent(value -> root.set("top_p", number(value)));
    sampling.seed().ifPresent(value -> root.put("seed", value));
    if (exchange.anew() && exchange.sends(FREQUENCY_PENALTY)) {
      root.put(FREQUENCY_PENALTY, AGAINST_LOOPS);
    }
    if (!sampling.stop().isEmpty()) {
      sampling.stop().forEach(root.putArray("stop")::add);
    }
    sampling.effort().ifPresent(effort -> root.put("reasoning_effort", word(effort)));
    exchange
        .contract()
        .format()
        .ifPresent(format ->
            root.set(
                "response_format",
                exchange.dialect().json() == JsonMode.OBJECT_SCHEMA
                    ? beside(format)
                    : format(format, true)));
    root.put("stream", exchange.dialect().streams());
    if (exchange.dialect().streams() && exchange.sends(Dialect.STREAM_OPTIONS)) {
      ObjectNode options = root.putObject(Dialect.STREAM_OPTIONS).put("include_usage", true);
      if (exchange.dialect().name().equals("vllm") && exchange.sends(Dialect.CONTINUOUS_USAGE)) {
        options.put(Dialect.CONTINUOUS_USAGE, true);
      }
    }
    return root;
  }

  /**
   * As llama-cpp-python takes a schema. It writes a text of at most n characters as n groups within
   * each other, two rules of llama.cpp each, and dies of a grammar with more than 2,000.
   */
  private static ObjectNode beside(ReplyContract.Format format) {
    ObjectNode node = JSON.objectNode().put("type", "json_object");
    format
        .schema()
        .ifPresent(schema -> {
          JsonNode own = schema.deepCopy();
          own.findParents(MAX_LENGTH).stream()
              .filter(text -> text.path(MAX_LENGTH).asInt() > LONGEST_TEXT)
              .forEach(text -> ((ObjectNode) text).put(MAX_LENGTH, LONGEST_TEXT));
          node.set("schema", own);
        });
    return node;
  }

  /** Of what the application says. */
  static String role(Exchange exchange) {
    return word(exchange.dialect().system());
  }

  static String word(Enum<?> one) {
    return one.name().toLowerCase(Locale.ROOT);
  }

  private static void add(ArrayNode messages, ChatMessage message, String role) {
    switch (message) {
      case ChatMessage.User user ->
          messages.addObject().put("role", "user").put("content", user.text());
      case ChatMessage.Instruction instruction ->
          messages.addObject().put("role", role).put("content", instruction.text());
      case ChatMessage.ToolResult result ->
          messages
              .addObject()
              .put("role", "tool")
              .put("tool_call_id", result.callId())
              .put("content", result.text());
      case ChatMessage.Assistant assistant -> {
        ObjectNode said =
            messages.addObject().put("role", "assistant").put("content", assistant.text());
        if (!assistant.toolCalls().isEmpty()) {
          ArrayNode calls = said.putArray("tool_calls");
          for (ToolCall call : assistant.toolCalls()) {
            calls
                .addObject()
                .put("id", call.id())
                .put("type", "function")
                .putObject("function")
                .put("name", call.name())
                .put("arguments", call.arguments().toString());
          }
        }
      }
    }
  }

  /**
   * The tools and the choice among them.
   *
   * @param nested whether what is said of a function stands in an object of its own
   */
  static void tools(ObjectNode root, Exchange exchange, boolean nested) {
    if (exchange.contract().tools().isEmpty()) {
      return;
    }
    ArrayNode tools = root.putArray("tools");
    for (Tool tool : exchange.contract().tools()) {
      ObjectNode function = function(tools.addObject(), nested);
      function.put("name", tool.name()).put("description", tool.description());
      if (!nested) {
        function.put("strict", false);
      }
      function.set("parameters", tool.parameters());
    }
    switch (exchange.contract().toolChoice()) {
      case ToolChoice.Auto auto -> root.put("tool_choice", "auto");
      case ToolChoice.None none -> root.put("tool_choice", "none");
      case ToolChoice.Required required -> root.put("tool_choice", "required");
      case ToolChoice.Named named ->
          function(root.putObject("tool_choice"), nested).put("name", named.tool());
    }
  }

  private static ObjectNode function(ObjectNode node, boolean nested) {
    node.put("type", "function");
    return nested ? node.putObject("function") : node;
  }

  /** 0 and not 0.0: some servers compare texts. */
  static JsonNode number(double value) {
    return value == Math.rint(value) ? JSON.numberNode((long) value) : JSON.numberNode(value);
  }

  /**
   * What the reply is held to.
   *
   * @param nested whether what is said of a schema stands in an object of its own
   */
  static ObjectNode format(ReplyContract.Format format, boolean nested) {
    ObjectNode node = JSON.objectNode();
    if (format.schema().isEmpty()) {
      return node.put("type", "json_object");
    }
    node.put("type", "json_schema");
    ObjectNode schema = nested ? node.putObject("json_schema") : node;
    schema.put("name", ReplyContract.NAME).put("strict", format.strict());
    schema.set("schema", format.schema().get());
    return node;
  }

  @Override
  public void read(JsonNode reply, ReplyBuilder into) throws CallFailure {
    JsonNode choice = reply.path("choices").path(0);
    if (!choice.path("message").isObject()) {
      throw CallFailure.bad("answered no chat completion: choices[0].message is missing");
    }
    JsonNode message = choice.path("message");
    message(message, into);
    message
        .path("tool_calls")
        .forEach(call -> into.call("", text(call, "id"), name(call), arguments(call)));
    end(choice, reply, into);
  }

  @Override
  public void read(String event, JsonNode data, ReplyBuilder into) throws CallFailure {
    JsonNode choice = data.path("choices").path(0);
    // Some send a reply that they have as a whole in the only part of a stream.
    boolean whole = !choice.path("delta").isObject() && !into.begun();
    JsonNode delta = choice.path(whole ? "message" : "delta");
    message(delta, into);
    into.nextDelta();
    for (JsonNode call : delta.path("tool_calls")) {
      into.tool(text(call, "index"), text(call, "id"), name(call), arguments(call));
    }
    end(choice, data, into);
  }

  private static void message(JsonNode message, ReplyBuilder into) {
    into.reasoning(message.path("reasoning_content").asText(""));
    if (message.path("reasoning").isTextual()) {
      into.reasoning(message.path("reasoning").textValue());
    }
    content(message.path("content"), into);
    if (message.path("refusal").isTextual()) {
      into.refused(message.path("refusal").textValue());
    }
  }

  private static String text(JsonNode node, String field) {
    return node.path(field).asText("");
  }

  private static String name(JsonNode call) {
    return call.path("function").path("name").asText("");
  }

  private static String arguments(JsonNode call) {
    JsonNode arguments = call.path("function").path("arguments");
    return arguments.isContainerNode() ? arguments.toString() : arguments.asText("");
  }

  private static void content(JsonNode content, ReplyBuilder into) {
    if (content.isTextual()) {
      into.text(content.textValue());
    }
    for (JsonNode part : content.isArray() ? content : JSON.arrayNode()) {
      if (part.path("type").asText().equals("thinking")) {
        for (JsonNode thought : part.path("thinking")) {
          into.reasoning(thought.path("text").asText(""));
        }
      } else {
        into.text(part.path("text").asText(""));
      }
    }
  }

  private static void end(JsonNode choice, JsonNode root, ReplyBuilder into) throws CallFailure {
    if (root.path("model").isTextual()) {
      into.model(root.path("model").textValue());
    }
    if (choice.path("finish_reason").isTextual()) {
      String reason = choice.path("finish_reason").textValue().toLowerCase(Locale.ROOT);
      into.finish(finish(reason));
      if (reason.equals(REPEATED)) {
        into.loops();
      }
    }
    // Moonshot counts in the choice, Groq in a field of its own.
    JsonNode usage =
        Stream.of(root.path("usage"), choice.path("usage"), root.at("/x_groq/usage"))
            .filter(JsonNode::isObject)
            .findFirst()
            .orElseGet(JSON::objectNode);
    OptionalLong prompt = count(usage, "prompt_tokens", "input_tokens");
    OptionalLong completion = count(usage, "completion_tokens", "output_tokens");
    OptionalLong total = count(usage.path("total_tokens"));
    if (completion.isEmpty() && prompt.isPresent() && total.isPresent()) {
      completion = OptionalLong.of(Math.max(0, total.getAsLong() - prompt.getAsLong()));
    }
    OptionalLong details = count(usage.path("prompt_tokens_details").path("cached_tokens"));
    into.usage(
        prompt,
        details.isPresent() ? details : count(usage.path("prompt_cache_hit_tokens")),
        completion,
        count(usage.path("completion_tokens_details").path("reasoning_tokens")));
  }

  /** Why the reply ends; some servers say so that they have failed. */
  private static FinishReason finish(String reason) throws CallFailure {
    return switch (reason) {
      case "length", "max_tokens", "max_output_tokens", "model_length", REPEATED ->
          FinishReason.LENGTH;
      case "tool_calls", "function_call" -> FinishReason.TOOL_CALLS;
      case "content_filter", "safety", "sensitive", "recitation" -> FinishReason.CONTENT_FILTER;
      case "error", "abort", "aborted", "network_error" ->
          throw CallFailure.unplaced(
              Kind.SERVER_ERROR, "broke off its reply: it ended with " + reason, null);
      case "insufficient_system_resource" ->
          throw CallFailure.unplaced(
              Kind.OVERLOADED, "broke off its reply: it ended with " + reason, null);
      default -> FinishReason.STOP;
    };
  }

  /** By the first of its names that counts. */
  private static OptionalLong count(JsonNode usage, String... names) {
    return Stream.of(names)
        .map(name -> count(usage.path(name)))
        .filter(OptionalLong::isPresent)
        .findFirst()
        .orElseGet(OptionalLong::empty);
  }

  /** Empty for what is no count. */
  static OptionalLong count(JsonNode node) {
    return node.isNumber() && node.canConvertToLong()
        ? OptionalLong.of(node.longValue())
        : OptionalLong.empty();
  }
}
