package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.ToolCall;
import dev.colony.inference.Usage;
import dev.colony.server.http.ReplyForms.ReplyEvents;
import dev.colony.server.http.ReplyForms.ReplyParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Replies as {@code response}, and as the typed events of one.
 *
 * @param request of which the response repeats what it was asked with
 * @param created seconds since the epoch
 */
public record ResponsesForms(String id, ObjectNode request, long created) implements ReplyForms {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Fields of the request that the response repeats. */
  private static final List<String> REPEATED =
      List.of(
          "instructions",
          "max_output_tokens",
          "metadata",
          "temperature",
          "top_p",
          "reasoning",
          "user",
          "previous_response_id");

  @Override
  public ObjectNode whole(InferenceReply reply) {
    ArrayNode output = JSON.arrayNode();
    int at = 0;
    if (!reply.reasoning().isEmpty()) {
      output.add(reasoning(at++, reply.reasoning(), "completed"));
    }
    if (!reply.text().isEmpty() || reply.toolCalls().isEmpty()) {
      output.add(message(at++, reply.text(), "completed"));
    }
    for (ToolCall call : reply.toolCalls()) {
      output.add(call(at++, call, "completed"));
    }
    return ended(reply, output);
  }

  /** One that goes on. */
  ObjectNode running() {
    return head("in_progress", model(), JSON.arrayNode()).putNull("usage");
  }

  /** One that has ended without a reply. */
  ObjectNode ended(String status, Optional<String> error) {
    ObjectNode json = head(status, model(), JSON.arrayNode()).putNull("usage");
    error.ifPresent(
        words -> json.putObject("error").put("code", "server_error").put("message", words));
    return json;
  }

  private String model() {
    return request.path("model").asText();
  }

  private ObjectNode ended(InferenceReply reply, ArrayNode output) {
    boolean whole =
        reply.finish() == FinishReason.STOP || reply.finish() == FinishReason.TOOL_CALLS;
    ObjectNode json =
        head(
            whole ? "completed" : "incomplete",
            reply.model().isEmpty() ? model() : reply.model(),
            output);
    if (!whole) {
      json.putObject("incomplete_details")
          .put(
              "reason",
              reply.finish() == FinishReason.LENGTH ? "max_output_tokens" : "content_filter");
    }
    json.set("usage", usage(reply.usage()));
    return json;
  }

  private ObjectNode head(String status, String answering, ArrayNode output) {
    ObjectNode json =
        JSON.objectNode()
            .put("id", id)
            .put("object", "response")
            .put("created_at", created)
            .put("status", status)
            .putNull("error")
            .putNull("incomplete_details")
            .put("model", answering);
    json.set("output", output);
    REPEATED.forEach(field -> json.set(field, request.path(field).deepCopy()));
    REPEATED.stream().filter(field -> !request.has(field)).forEach(json::putNull);
    json.put("parallel_tool_calls", request.path("parallel_tool_calls").asBoolean(true));
    json.set("tool_choice", or(request.path("tool_choice"), JSON.textNode("auto")));
    json.set("tools", or(request.path("tools"), JSON.arrayNode()));
    ObjectNode text = JSON.objectNode();
    text.putObject("format").put("type", "text");
    json.set("text", or(request.path("text"), text));
    JsonNode conversation = request.path("conversation");
    if (conversation.isObject() || conversation.isTextual()) {
      JsonNode named = conversation.isTextual() ? conversation : conversation.path("id");
      json.putObject("conversation").set("id", named);
    }
    return json.put("background", request.path("background").asBoolean(false))
        .put("store", request.path("store").asBoolean(false))
        .put("truncation", "disabled");
  }

  private static JsonNode or(JsonNode given, JsonNode otherwise) {
    return given.isMissingNode() || given.isNull() ? otherwise : given;
  }

  private String itemId(String kind, int at) {
    return kind + "_" + id + "_" + at;
  }

  private ObjectNode reasoning(int at, String text, String status) {
    ObjectNode json =
        JSON.objectNode()
            .put("id", itemId("rs", at))
            .put("type", "reasoning")
            .put("status", status);
    json.putArray("summary");
    ArrayNode content = json.putArray("content");
    if (!text.isEmpty()) {
      content.addObject().put("type", "reasoning_text").put("text", text);
    }
    return json;
  }

  private ObjectNode message(int at, String text, String status) {
    ObjectNode json =
        JSON.objectNode()
            .put("id", itemId("msg", at))
            .put("type", "message")
            .put("status", status)
            .put("role", "assistant");
    ArrayNode content = json.putArray("content");
    if (status.equals("completed")) {
      content.add(text(text));
    }
    return json;
  }

  private static ObjectNode text(String text) {
    ObjectNode part = JSON.objectNode().put("type", "output_text").put("text", text);
    part.putArray("annotations");
    part.putArray("logprobs");
    return part;
  }

  private ObjectNode call(int at, ToolCall call, String status) {
    return JSON.objectNode()
        .put("id", itemId("fc", at))
        .put("type", "function_call")
        .put("status", status)
        .put("call_id", call.id())
        .put("name", call.name())
        .put("arguments", status.equals("completed") ? call.arguments().toString() : "");
  }

  private static ObjectNode usage(Usage usage) {
    ObjectNode json = JSON.objectNode().put("input_tokens", usage.promptTokens());
    json.putObject("input_tokens_details")
        .put("cached_tokens", usage.cachedTokens())
        .put("cache_write_tokens", 0);
    json.put("output_tokens", usage.completionTokens());
    json.putObject("output_tokens_details").put("reasoning_tokens", usage.reasoningTokens());
    return json.put("total_tokens", usage.promptTokens() + usage.completionTokens());
  }

  @Override
  public ReplyEvents events() {
    return events(-1);
  }

  /**
   * @param after the number of the last event that the client has had; -1 for none
   */
  ReplyEvents events(long after) {
    return new Events(after);
  }

  private enum Item {
    NONE,
    REASONING,
    MESSAGE
  }

  private final class Events implements ReplyEvents {
    private final ReplyParts parts = new ReplyParts();
    private final ArrayNode output = JSON.arrayNode();
    private final StringBuilder text = new StringBuilder();
    private final long after;
    private String answering = model();
    private Item item = Item.NONE;
    private boolean begun;
    private int number;

    Events(long after) {
      this.after = after;
    }

    @Override
    public List<byte[]> begun() {
      List<byte[]> events = new ArrayList<>(2);
      begin(events);
      return events;
    }

    @Override
    public List<byte[]> of(InferenceDelta delta) {
      List<byte[]> events = new ArrayList<>(2);
      for (ReplyParts.Part part : parts.of(delta)) {
        switch (part) {
          case ReplyParts.Part.Begin begin -> answering = begin.model();
          case ReplyParts.Part.Reasoning more -> more(events, Item.REASONING, more.text());
          case ReplyParts.Part.Text more -> more(events, Item.MESSAGE, more.text());
          case ReplyParts.Part.Call call -> call(events, call.call());
          case ReplyParts.Part.End end -> end(events, end.reply());
        }
      }
      return events;
    }

    private void begin(List<byte[]> events) {
      if (!begun) {
        begun = true;
        for (String name : List.of("response.created", "response.in_progress")) {
          add(events, name, response(head("in_progress", answering, JSON.arrayNode())));
        }
      }
    }

    private void more(List<byte[]> events, Item kind, String more) {
      begin(events);
      if (item != kind) {
        close(events);
        item = kind;
        int at = output.size();
        ObjectNode added =
            kind == Item.MESSAGE
                ? message(at, "", "in_progress")
                : reasoning(at, "", "in_progress");
        add(events, "response.output_item.added", indexed().set("item", added));
        add(events, "response.content_part.added", part().set("part", content("")));
      }
      text.append(more);
      add(events, textEvent() + ".delta", part().put("delta", more));
    }

    private void close(List<byte[]> events) {
      if (item == Item.NONE) {
        return;
      }
      String all = text.toString();
      add(events, textEvent() + ".done", part().put("text", all));
      add(events, "response.content_part.done", part().set("part", content(all)));
      int at = output.size();
      ObjectNode done =
          item == Item.MESSAGE ? message(at, all, "completed") : reasoning(at, all, "completed");
      add(events, "response.output_item.done", indexed().set("item", done));
      output.add(done);
      text.setLength(0);
      item = Item.NONE;
    }

    private void call(List<byte[]> events, ToolCall call) {
      begin(events);
      close(events);
      int at = output.size();
      String arguments = call.arguments().toString();
      ObjectNode added = ResponsesForms.this.call(at, call, "in_progress");
      add(events, "response.output_item.added", indexed().set("item", added));
      ObjectNode delta = indexed().put("item_id", itemId("fc", at)).put("delta", arguments);
      add(events, "response.function_call_arguments.delta", delta);
      ObjectNode done =
          indexed()
              .put("item_id", itemId("fc", at))
              .put("name", call.name())
              .put("arguments", arguments);
      add(events, "response.function_call_arguments.done", done);
      ObjectNode whole = ResponsesForms.this.call(at, call, "completed");
      add(events, "response.output_item.done", indexed().set("item", whole));
      output.add(whole);
    }

    private void end(List<byte[]> events, InferenceReply reply) {
      if (text.isEmpty() && output.isEmpty()) {
        more(events, Item.MESSAGE, "");
      }
      close(events);
      ObjectNode ended = ended(reply, output);
      add(events, "response." + ended.path("status").asText(), response(ended));
    }

    private String textEvent() {
      return item == Item.MESSAGE ? "response.output_text" : "response.reasoning_text";
    }

    private ObjectNode content(String all) {
      return item == Item.MESSAGE
          ? ResponsesForms.text(all)
          : JSON.objectNode().put("type", "reasoning_text").put("text", all);
    }

    private ObjectNode indexed() {
      return JSON.objectNode().put("output_index", output.size());
    }

    private ObjectNode part() {
      ObjectNode part =
          indexed()
              .put("item_id", itemId(item == Item.MESSAGE ? "msg" : "rs", output.size()))
              .put("content_index", 0);
      if (item == Item.MESSAGE) {
        part.putArray("logprobs");
      }
      return part;
    }

    private static ObjectNode response(JsonNode response) {
      ObjectNode event = JSON.objectNode();
      event.set("response", response);
      return event;
    }

    private void add(List<byte[]> events, String name, JsonNode data) {
      int own = number++;
      if (own > after) {
        ObjectNode event = JSON.objectNode().put("type", name).put("sequence_number", own);
        event.setAll((ObjectNode) data);
        events.add(ReplyEvents.named(name, event));
      }
    }

    @Override
    public List<byte[]> failed(OpenAiError error) {
      List<byte[]> events = new ArrayList<>();
      begin(events);
      ObjectNode failed = head("failed", answering, output);
      failed.putObject("error").put("code", error.code()).put("message", error.getMessage());
      add(events, "response.failed", response(failed));
      return events;
    }
  }
}
