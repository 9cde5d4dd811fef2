package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.Sampling;
import dev.colony.inference.ToolCall;
import dev.colony.inference.provider.Exchange.Wire;
import dev.colony.inference.provider.ServerError.StatusErrors;
import dev.colony.inference.provider.ToolCallAssembly.Call;
import java.util.Optional;

/** OpenAI's responses; nothing is stored at the server, each request carries the whole prompt. */
final class Responses implements Wire {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  @Override
  public ObjectNode body(Exchange exchange) {
    ObjectNode root = JSON.objectNode().put("model", exchange.model());
    if (!exchange.system().isEmpty()) {
      root.put("instructions", exchange.system());
    }
    ArrayNode input = root.putArray("input");
    exchange.messages().forEach(message -> add(input, message, ChatCompletions.role(exchange)));
    ChatCompletions.tools(root, exchange, false);
    root.put("max_output_tokens", exchange.maxTokens());
    Sampling sampling = exchange.sampling();
    sampling
        .temperature()
        .ifPresent(value -> root.set("temperature", ChatCompletions.number(value)));
    sampling.topP().ifPresent(value -> root.set("top_p", ChatCompletions.number(value)));
    if (exchange.sends("reasoning")) {
      exchange
          .request()
          .sampling()
          .effort()
          .ifPresent(
              effort -> root.putObject("reasoning").put("effort", ChatCompletions.word(effort)));
    }
    exchange
        .contract()
        .format()
        .ifPresent(
            format -> root.putObject("text").set("format", ChatCompletions.format(format, false)));
    if (exchange.sends("store")) {
      root.put("store", false);
    }
    root.put("stream", exchange.dialect().streams());
    return root;
  }

  private static void add(ArrayNode input, ChatMessage message, String role) {
    switch (message) {
      case ChatMessage.User user ->
          input.addObject().put("role", "user").put("content", user.text());
      case ChatMessage.Instruction instruction ->
          input.addObject().put("role", role).put("content", instruction.text());
      case ChatMessage.ToolResult result ->
          input
              .addObject()
              .put("type", "function_call_output")
              .put("call_id", result.callId())
              .put("output", result.text());
      case ChatMessage.Assistant assistant -> {
        if (!assistant.text().isEmpty()) {
          input.addObject().put("role", "assistant").put("content", assistant.text());
        }
        for (ToolCall call : assistant.toolCalls()) {
          input
              .addObject()
              .put("type", "function_call")
              .put("call_id", call.id())
              .put("name", call.name())
              .put("arguments", call.arguments().toString());
        }
      }
    }
  }

  @Override
  public void read(JsonNode reply, ReplyBuilder into) throws CallFailure {
    if (!reply.path("output").isArray()) {
      throw CallFailure.bad("answered no response: output is missing");
    }
    output(reply, into);
    end(reply, into);
  }

  private static void output(JsonNode reply, ReplyBuilder into) {
    for (JsonNode item : reply.path("output")) {
      switch (item.path("type").asText()) {
        case "message" -> {
          for (JsonNode part : item.path("content")) {
            into.text(part.path("text").asText(""));
            into.refused(part.path("refusal").asText(""));
          }
        }
        case "reasoning" -> {
          for (JsonNode part : item.path("summary")) {
            into.reasoning(part.path("text").asText(""));
          }
        }
        case "function_call" -> into.call("", id(item), name(item), arguments(item));
        default -> {
          // What the caller did not ask for.
        }
      }
    }
  }

  private static String id(JsonNode call) {
    return call.path("call_id").asText("");
  }

  private static String name(JsonNode call) {
    return call.path("name").asText("");
  }

  private static String arguments(JsonNode call) {
    JsonNode arguments = call.path("arguments");
    return arguments.isContainerNode() ? arguments.toString() : arguments.asText("");
  }

  @Override
  public void read(String event, JsonNode data, ReplyBuilder into) throws CallFailure {
    String type = data.path("type").asText(event);
    switch (type) {
      case "response.output_text.delta" -> into.text(data.path("delta").asText(""));
      case "response.refusal.delta" -> into.refused(data.path("delta").asText(""));
      case "response.reasoning_summary_text.delta", "response.reasoning_text.delta" ->
          into.reasoning(data.path("delta").asText(""));
      case "response.function_call_arguments.delta" ->
          into.tool(place(data, into), "", "", data.path("delta").asText(""));
      case "response.function_call_arguments.done" ->
          into.assembly()
              .at(place(data, into))
              .ifPresent(call -> call.tell(data.path("arguments").asText("")));
      case "response.output_item.added", "response.output_item.done" -> {
        if (data.path("item").path("type").asText().equals("function_call")) {
          call(data, type.endsWith("done"), into);
        }
      }
      case "response.completed", "response.incomplete" -> {
        if (!into.begun()) {
          output(data.path("response"), into);
        }
        end(data.path("response"), into);
      }
      case "response.failed" -> throw failed(data.path("response"));
      default -> {
        // Marks of a beginning or an end that the parts themselves show.
      }
    }
  }

  /** A call's beginning or its end; each may have all of its arguments. */
  private static void call(JsonNode data, boolean ends, ReplyBuilder into) {
    JsonNode item = data.path("item");
    ToolCallAssembly calls = into.assembly();
    String key = key(item.path("id"));
    Optional<Call> known =
        ends ? calls.at(key).or(() -> calls.of(id(item))) : Optional.<Call>empty();
    Call call =
        known.orElseGet(
            () -> into.call(data.path("output_index").asText(""), id(item), name(item), ""));
    call.tell(arguments(item));
    if (!key.isEmpty()) {
      calls.place(key, call);
    }
  }

  /** By its item, which servers number with more care than its place. */
  private static String place(JsonNode data, ReplyBuilder into) {
    String key = key(data.path("item_id"));
    return into.assembly().at(key).isPresent() ? key : data.path("output_index").asText("");
  }

  private static String key(JsonNode itemId) {
    return itemId.asText("").isEmpty() ? "" : "item " + itemId.asText();
  }

  private static CallFailure failed(JsonNode response) {
    return StatusErrors.midway(ServerError.of(response.path("error")), "failed to respond");
  }

  private static void end(JsonNode response, ReplyBuilder into) throws CallFailure {
    String status = response.path("status").asText();
    switch (status) {
      case "failed" -> throw failed(response);
      case "cancelled", "in_progress", "queued" ->
          throw CallFailure.unplaced(Kind.BROKEN_OFF, "broke off its reply: it is " + status, null);
      default -> {
        // It has ended.
      }
    }
    into.model(response.path("model").asText(""));
    String incomplete = response.path("incomplete_details").path("reason").asText("");
    into.finish(
        switch (incomplete) {
          case "max_output_tokens" -> FinishReason.LENGTH;
          case "content_filter" -> FinishReason.CONTENT_FILTER;
          default ->
              status.equals("incomplete")
                  ? FinishReason.LENGTH
                  : into.calls().isEmpty() ? FinishReason.STOP : FinishReason.TOOL_CALLS;
        });
    JsonNode usage = response.path("usage");
    into.usage(
        ChatCompletions.count(usage.path("input_tokens")),
        ChatCompletions.count(usage.path("input_tokens_details").path("cached_tokens")),
        ChatCompletions.count(usage.path("output_tokens")),
        ChatCompletions.count(usage.path("output_tokens_details").path("reasoning_tokens")));
  }
}
