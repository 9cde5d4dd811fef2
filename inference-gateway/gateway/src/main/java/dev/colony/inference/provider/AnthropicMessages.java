package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.Sampling;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.provider.Exchange.Wire;
import dev.colony.inference.provider.ToolCallAssembly.Call;
import java.util.List;
import java.util.OptionalLong;

/**
 * Anthropic's messages. Turns of one role are parts of one message; the last page is marked as the
 * end of what is to be cached, and without pages the preamble is. A schema is that of a tool which
 * the model has to call.
 */
final class AnthropicMessages implements Wire {

  /** The version of the protocol, sent as {@code anthropic-version}. */
  static final String VERSION = "2023-06-01";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  @Override
  public ObjectNode body(Exchange exchange) {
    ObjectNode root = JSON.objectNode().put("model", exchange.model());
    int pages = exchange.request().prompt().pages().size();
    if (!exchange.system().isEmpty()) {
      ObjectNode system = text(root.putArray("system"), exchange.system());
      if (pages == 0) {
        cached(system);
      }
    }
    tools(root, exchange);
    ArrayNode messages = root.putArray("messages");
    List<ChatMessage> all = exchange.messages();
    for (int i = 0; i < all.size(); i++) {
      ObjectNode last = add(messages, all.get(i));
      if (i == pages - 1) {
        cached(last);
      }
    }
    root.put("max_tokens", exchange.maxTokens());
    Sampling sampling = exchange.sampling();
    sampling
        .temperature()
        .ifPresent(value -> root.set("temperature", ChatCompletions.number(Math.min(1, value))));
    sampling.topP().ifPresent(value -> root.set("top_p", ChatCompletions.number(value)));
    List<String> stop = exchange.request().sampling().stop();
    if (exchange.sends("stop_sequences") && !stop.isEmpty()) {
      stop.forEach(root.putArray("stop_sequences")::add);
    }
    root.put("stream", exchange.dialect().streams());
    return root;
  }

  private static ObjectNode text(ArrayNode parts, String text) {
    return parts.addObject().put("type", "text").put("text", text);
  }

  private static void cached(ObjectNode part) {
    part.putObject("cache_control").put("type", "ephemeral");
  }

  /** The last part of what was added. */
  private static ObjectNode add(ArrayNode messages, ChatMessage message) {
    return switch (message) {
      case ChatMessage.User user -> text(content(messages, "user"), user.text());
      case ChatMessage.Instruction instruction ->
          text(content(messages, "user"), instruction.text());
      case ChatMessage.ToolResult result ->
          content(messages, "user")
              .addObject()
              .put("type", "tool_result")
              .put("tool_use_id", result.callId())
              .put("content", result.text());
      case ChatMessage.Assistant assistant -> {
        ArrayNode parts = content(messages, "assistant");
        if (!assistant.text().isEmpty()) {
          text(parts, assistant.text());
        }
        for (ToolCall call : assistant.toolCalls()) {
          parts
              .addObject()
              .put("type", "tool_use")
              .put("id", call.id())
              .put("name", call.name())
              .set("input", call.arguments());
        }
        yield (ObjectNode) parts.get(parts.size() - 1);
      }
    };
  }

  /** Of the last message if that is of the role, else of a new one. */
  private static ArrayNode content(ArrayNode messages, String role) {
    JsonNode last = messages.path(messages.size() - 1);
    return last.path("role").asText().equals(role)
        ? (ArrayNode) last.get("content")
        : messages.addObject().put("role", role).putArray("content");
  }

  private static void tools(ObjectNode root, Exchange exchange) {
    if (exchange.contract().tools().isEmpty()) {
      return;
    }
    ArrayNode tools = root.putArray("tools");
    for (Tool tool : exchange.contract().tools()) {
      tools
          .addObject()
          .put("name", tool.name())
          .put("description", tool.description())
          .set("input_schema", tool.parameters());
    }
    ObjectNode choice = root.putObject("tool_choice");
    switch (exchange.contract().toolChoice()) {
      case ToolChoice.Auto auto -> choice.put("type", "auto");
      case ToolChoice.None none -> choice.put("type", "none");
      case ToolChoice.Required required -> choice.put("type", "any");
      case ToolChoice.Named named -> choice.put("type", "tool").put("name", named.tool());
    }
  }

  @Override
  public void read(JsonNode reply, ReplyBuilder into) throws CallFailure {
    if (!reply.path("content").isArray()) {
      throw CallFailure.bad("answered no message: content is missing");
    }
    for (JsonNode part : reply.path("content")) {
      into.text(part.path("text").asText(""));
      into.reasoning(part.path("thinking").asText(""));
      if (part.path("type").asText().equals("tool_use")) {
        into.call(
            "",
            part.path("id").asText(""),
            part.path("name").asText(""),
            part.path("input").toString());
      }
    }
    into.model(reply.path("model").asText(""));
    stop(reply.path("stop_reason"), into);
    usage(reply.path("usage"), into);
  }

  @Override
  public void read(String event, JsonNode data, ReplyBuilder into) throws CallFailure {
    String place = data.path("index").asText("");
    switch (data.path("type").asText(event)) {
      case "message_start" -> {
        JsonNode message = data.path("message");
        into.model(message.path("model").asText(""));
        usage(message.path("usage"), into);
      }
      case "content_block_start" -> {
        JsonNode part = data.path("content_block");
        into.text(part.path("text").asText(""));
        if (part.path("type").asText().equals("tool_use")) {
          Call call =
              into.call(place, part.path("id").asText(""), part.path("name").asText(""), "");
          // It is empty where the input comes in parts.
          call.tell(part.path("input").isEmpty() ? "" : part.path("input").toString());
        }
      }
      case "content_block_delta" -> {
        JsonNode delta = data.path("delta");
        into.text(delta.path("text").asText(""));
        into.reasoning(delta.path("thinking").asText(""));
        if (delta.path("partial_json").isTextual()) {
          into.tool(place, "", "", delta.path("partial_json").textValue());
        }
      }
      case "message_delta" -> {
        stop(data.path("delta").path("stop_reason"), into);
        usage(data.path("usage"), into);
      }
      default -> {
        // Pings, and ends that the next part shows.
      }
    }
  }

  private static void stop(JsonNode reason, ReplyBuilder into) {
    if (reason.isTextual()) {
      into.finish(
          switch (reason.textValue()) {
            case "max_tokens", "model_context_window_exceeded" -> FinishReason.LENGTH;
            case "tool_use" -> FinishReason.TOOL_CALLS;
            case "refusal" -> FinishReason.CONTENT_FILTER;
            default -> FinishReason.STOP;
          });
    }
  }

  /** Prompt tokens are counted in three parts: neither read from the cache nor written to it. */
  private static void usage(JsonNode usage, ReplyBuilder into) {
    OptionalLong input = ChatCompletions.count(usage.path("input_tokens"));
    OptionalLong read = ChatCompletions.count(usage.path("cache_read_input_tokens"));
    OptionalLong written = ChatCompletions.count(usage.path("cache_creation_input_tokens"));
    into.usage(
        input.isPresent()
            ? OptionalLong.of(input.getAsLong() + read.orElse(0) + written.orElse(0))
            : OptionalLong.empty(),
        read,
        ChatCompletions.count(usage.path("output_tokens")),
        OptionalLong.empty());
  }
}
