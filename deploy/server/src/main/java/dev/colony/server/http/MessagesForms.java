package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.Usage;
import dev.colony.server.http.CompletionCall.Conversation;
import dev.colony.server.http.ReplyForms.ReplyEvents;
import dev.colony.server.http.ReplyForms.ReplyParts;
import dev.colony.server.http.RequestFields.ReplyDemands;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Replies as Anthropic's {@code message}, and as the events of one. What the model thought is shown
 * to those who ask for thinking: others take the first block for the text.
 */
public record MessagesForms(String id, CompletionCall call) implements ReplyForms {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  @Override
  public ObjectNode whole(InferenceReply reply) {
    ArrayNode content = JSON.arrayNode();
    if (showsThinking() && !reply.reasoning().isEmpty()) {
      content.add(thinking(reply.reasoning()));
    }
    if (!reply.text().isEmpty() || reply.toolCalls().isEmpty()) {
      content.add(text(reply.text()));
    }
    reply.toolCalls().forEach(one -> content.add(call(one, one.arguments())));
    ObjectNode json = message(reply.model().isEmpty() ? call.model() : reply.model(), content);
    json.put("stop_reason", word(reply.finish()));
    return json.set("usage", usage(reply.usage()));
  }

  @Override
  public JsonNode failed(OpenAiError error) {
    return error.toAnthropic();
  }

  private boolean showsThinking() {
    JsonNode thinking = call.raw().path("thinking");
    return thinking.isObject()
        && !thinking.path("type").asText().equals("disabled")
        && !thinking.path("display").asText().equals("omitted");
  }

  private ObjectNode message(String answering, ArrayNode content) {
    ObjectNode json =
        JSON.objectNode()
            .put("id", id)
            .put("type", "message")
            .put("role", "assistant")
            .put("model", answering);
    json.set("content", content);
    json.putNull("stop_reason").putNull("stop_sequence");
    return json.set("usage", usage(Usage.NONE));
  }

  private static ObjectNode text(String text) {
    return JSON.objectNode().put("type", "text").put("text", text);
  }

  /** Nobody signs it: a block that comes back is not given to the model. */
  private static ObjectNode thinking(String text) {
    return JSON.objectNode().put("type", "thinking").put("thinking", text).put("signature", "");
  }

  private static ObjectNode call(ToolCall call, JsonNode input) {
    return JSON.objectNode()
        .put("type", "tool_use")
        .put("id", call.id())
        .put("name", call.name())
        .set("input", input);
  }

  private static String word(FinishReason finish) {
    return switch (finish) {
      case STOP -> "end_turn";
      case LENGTH -> "max_tokens";
      case TOOL_CALLS -> "tool_use";
      case CONTENT_FILTER -> "refusal";
    };
  }

  /**
   * Input is what no cache had; caches fill by themselves, so that no tokens are written to one.
   */
  private static ObjectNode usage(Usage usage) {
    return JSON.objectNode()
        .put("input_tokens", Math.max(0, usage.promptTokens() - usage.cachedTokens()))
        .put("cache_creation_input_tokens", 0)
        .put("cache_read_input_tokens", usage.cachedTokens())
        .put("output_tokens", usage.completionTokens());
  }

  @Override
  public ReplyEvents events() {
    return new Events();
  }

  private enum Block {
    NONE,
    THINKING,
    TEXT
  }

  private final class Events implements ReplyEvents {
    private final ReplyParts parts = new ReplyParts();
    private String answering = call.model();
    private Block block = Block.NONE;
    private boolean begun;
    private int index;

    @Override
    public List<byte[]> of(InferenceDelta delta) {
      List<byte[]> events = new ArrayList<>(2);
      for (ReplyParts.Part part : parts.of(delta)) {
        switch (part) {
          case ReplyParts.Part.Begin begin -> answering = begin.model();
          case ReplyParts.Part.Reasoning more when showsThinking() ->
              more(events, Block.THINKING, more.text());
          case ReplyParts.Part.Reasoning hidden -> {}
          case ReplyParts.Part.Text more -> more(events, Block.TEXT, more.text());
          case ReplyParts.Part.Call call -> call(events, call.call());
          case ReplyParts.Part.End end -> end(events, end.reply());
        }
      }
      return events;
    }

    private void more(List<byte[]> events, Block kind, String more) {
      if (block != kind) {
        open(events, kind == Block.TEXT ? text("") : thinking(""));
        block = kind;
      }
      String field = kind == Block.TEXT ? "text" : "thinking";
      delta(events, JSON.objectNode().put("type", field + "_delta").put(field, more));
    }

    private void call(List<byte[]> events, ToolCall call) {
      open(events, MessagesForms.call(call, JSON.objectNode()));
      String input = call.arguments().toString();
      delta(events, JSON.objectNode().put("type", "input_json_delta").put("partial_json", input));
      close(events);
    }

    /** Ends the block before, and begins another; the first begins the message. */
    private void open(List<byte[]> events, ObjectNode content) {
      if (begun) {
        if (block != Block.NONE) {
          close(events);
        }
      } else {
        begun = true;
        ObjectNode start = JSON.objectNode();
        start.set("message", message(answering, JSON.arrayNode()));
        add(events, "message_start", start);
      }
      add(events, "content_block_start", indexed().set("content_block", content));
    }

    private void delta(List<byte[]> events, ObjectNode delta) {
      add(events, "content_block_delta", indexed().set("delta", delta));
    }

    private void close(List<byte[]> events) {
      add(events, "content_block_stop", indexed());
      block = Block.NONE;
      index++;
    }

    private void end(List<byte[]> events, InferenceReply reply) {
      if (!begun) {
        more(events, Block.TEXT, "");
      }
      if (block != Block.NONE) {
        close(events);
      }
      ObjectNode last = JSON.objectNode();
      last.putObject("delta").put("stop_reason", word(reply.finish())).putNull("stop_sequence");
      last.set("usage", usage(reply.usage()));
      add(events, "message_delta", last);
      add(events, "message_stop", JSON.objectNode());
    }

    private ObjectNode indexed() {
      return JSON.objectNode().put("index", index);
    }

    private static void add(List<byte[]> events, String name, ObjectNode data) {
      ObjectNode event = JSON.objectNode().put("type", name);
      event.setAll(data);
      events.add(ReplyEvents.named(name, event));
    }

    @Override
    public List<byte[]> failed(OpenAiError error) {
      return List.of(ReplyEvents.named("error", error.toAnthropic()));
    }
  }

  /** Reads the body of {@code POST /v1/messages}. */
  public static final class MessagesRequest {

    /** What changes no reply here; a model server of another protocol does not know it. */
    private static final List<String> WITHOUT_EFFECT =
        List.of(
            "cache_control",
            "context_management",
            "diagnostics",
            "inference_geo",
            "metadata",
            "service_tier",
            "speed",
            "thinking",
            "user_profile_id",
            "workspace_id");

    private MessagesRequest() {}

    /**
     * @param mostPages that a request may name
     * @throws OpenAiError naming the field that is not as it has to be
     */
    public static CompletionCall parse(JsonNode body, int mostPages) {
      RequestFields request = new RequestFields(body, "");
      OptionalLong most = request.integer("max_tokens", 1, Integer.MAX_VALUE);
      most.orElseThrow(() -> request.missing("max_tokens"));
      return parse(request, most, mostPages);
    }

    /** Reads the same of {@code POST /v1/messages/count_tokens}, where no reply is bounded. */
    public static CompletionCall counted(JsonNode body, int mostPages) {
      return parse(new RequestFields(body, ""), OptionalLong.empty(), mostPages);
    }

    private static CompletionCall parse(RequestFields request, OptionalLong most, int mostPages) {
      request.refuse("container", "there are no containers");
      request.refuse("mcp_servers", "give an agent the capability mcp");
      WITHOUT_EFFECT.forEach(request::any);
      final Conversation conversation = new Conversation("messages");
      request
          .any("system")
          .ifPresent(system -> conversation.instruction(request.content("system")));
      List<RequestFields> messages = request.objects("messages");
      if (messages.isEmpty()) {
        throw OpenAiError.invalid("messages", "messages must have at least one message");
      }
      messages.forEach(message -> message(message, conversation));
      List<Tool> tools = new ArrayList<>();
      for (RequestFields tool : request.objects("tools")) {
        String type = tool.text("type").orElse("custom");
        if (!type.equals("custom")) {
          throw OpenAiError.unsupported(
              tool.path("type"),
              "%s is %s, but only the caller's own tools are served: leave the type out"
                  .formatted(tool.path("type"), type));
        }
        tools.add(ReplyDemands.tool(tool, "input_schema"));
      }
      Optional<RequestFields> choice = request.object("tool_choice");
      Optional<RequestFields> output = request.object("output_config");
      Optional<JsonNode> schema =
          ReplyDemands.format(output.flatMap(one -> one.object("format")), "");
      if (choice.filter(one -> one.flag("disable_parallel_tool_use")).isPresent()) {
        // The name by which the other protocols, and model servers, know it.
        request.whole().put("parallel_tool_calls", false);
      }
      ToolChoice chosen = choice.map(MessagesRequest::choice).orElse(ToolChoice.AUTO);
      return CompletionCall.of(
          request,
          conversation,
          "stop_sequences",
          ReplyDemands.form(tools, chosen, schema, Integer.MAX_VALUE, most),
          output.flatMap(one -> one.text("effort")),
          true,
          mostPages);
    }

    private static ToolChoice choice(RequestFields choice) {
      String type = choice.required("type");
      return switch (type) {
        case "auto" -> ToolChoice.AUTO;
        case "none" -> ToolChoice.NONE;
        case "any" -> ToolChoice.REQUIRED;
        case "tool" -> new ToolChoice.Named(choice.required("name"));
        default ->
            throw OpenAiError.invalid(
                choice.path("type"), "tool_choice.type must be auto, any, tool or none");
      };
    }

    private static void message(RequestFields message, Conversation into) {
      String role = message.required("role");
      List<String> texts = new ArrayList<>();
      List<ToolCall> calls = new ArrayList<>();
      for (RequestFields block : message.blocks("content")) {
        String type = block.required("type");
        switch (role + " " + type) {
          case "user text", "assistant text", "system text" -> texts.add(block.required("text"));
          case "user tool_result" -> {
            String prefix = block.flag("is_error") ? "error: " : "";
            into.add(
                new ChatMessage.ToolResult(
                    block.required("tool_use_id"), prefix + block.content("content")));
          }
          case "assistant tool_use" ->
              calls.add(
                  new ToolCall(
                      block.required("id"),
                      block.required("name"),
                      block.object("input").orElseThrow(() -> block.missing("input")).whole()));
          // What a model has thought is not given to it again.
          case "assistant thinking", "assistant redacted_thinking" -> {}
          default ->
              throw OpenAiError.unsupported(
                  block.path("type"),
                  "%s is %s, which is not served of the role %s"
                      .formatted(block.path("type"), type, role));
        }
      }
      String said = String.join("\n", texts);
      switch (role) {
        case "system" -> into.instruction(said);
        case "user" -> {
          if (!texts.isEmpty()) {
            into.add(new ChatMessage.User(said));
          }
        }
        case "assistant" -> {
          if (!texts.isEmpty() || !calls.isEmpty()) {
            into.add(new ChatMessage.Assistant(said, calls));
          }
        }
        default ->
            throw OpenAiError.invalid(
                message.path("role"),
                "%s is %s, but must be user, assistant or system"
                    .formatted(message.path("role"), role));
      }
    }
  }
}
