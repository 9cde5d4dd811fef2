package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.ReplyForm;
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
 * Replies as {@code chat.completion} and {@code chat.completion.chunk}.
 *
 * @param created seconds since the epoch
 */
public record ChatCompletionsForms(String id, CompletionCall call, long created)
    implements ReplyForms {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final byte[] DONE = ReplyEvents.data("[DONE]");

  @Override
  public ObjectNode whole(InferenceReply reply) {
    ObjectNode json =
        head("chat.completion", reply.model().isEmpty() ? call.model() : reply.model());
    ObjectNode choice = json.putArray("choices").addObject().put("index", 0);
    ObjectNode message = choice.putObject("message").put("role", "assistant");
    boolean asks = !reply.toolCalls().isEmpty();
    message.put("content", asks && reply.text().isEmpty() ? null : reply.text());
    message.putNull("refusal");
    if (!reply.reasoning().isEmpty()) {
      message.put("reasoning_content", reply.reasoning());
    }
    if (asks) {
      ArrayNode calls = message.putArray("tool_calls");
      reply.toolCalls().forEach(one -> calls.add(call(one)));
    }
    choice.putNull("logprobs").put("finish_reason", ReplyForms.word(reply.finish()));
    json.set("usage", usage(reply.usage()));
    return json;
  }

  private ObjectNode head(String object, String answering) {
    return JSON.objectNode()
        .put("id", id)
        .put("object", object)
        .put("created", created)
        .put("model", answering);
  }

  private static ObjectNode call(ToolCall call) {
    ObjectNode json = JSON.objectNode().put("id", call.id()).put("type", "function");
    json.putObject("function")
        .put("name", call.name())
        .put("arguments", call.arguments().toString());
    return json;
  }

  private static ObjectNode usage(Usage usage) {
    ObjectNode json =
        JSON.objectNode()
            .put("prompt_tokens", usage.promptTokens())
            .put("completion_tokens", usage.completionTokens())
            .put("total_tokens", usage.promptTokens() + usage.completionTokens());
    json.putObject("prompt_tokens_details").put("cached_tokens", usage.cachedTokens());
    json.putObject("completion_tokens_details").put("reasoning_tokens", usage.reasoningTokens());
    return json;
  }

  @Override
  public ReplyEvents events() {
    return new Chunks();
  }

  private final class Chunks implements ReplyEvents {
    private final ReplyParts parts = new ReplyParts();
    private String answering = call.model();
    private boolean begun;

    @Override
    public List<byte[]> of(InferenceDelta delta) {
      List<byte[]> events = new ArrayList<>(2);
      for (ReplyParts.Part part : parts.of(delta)) {
        switch (part) {
          case ReplyParts.Part.Begin begin -> answering = begin.model();
          case ReplyParts.Part.Text text -> add(events, delta().put("content", text.text()));
          case ReplyParts.Part.Reasoning reasoning ->
              add(events, delta().put("reasoning_content", reasoning.text()));
          case ReplyParts.Part.Call call -> {
            ObjectNode asked = delta();
            asked.putArray("tool_calls").add(call(call.call()).put("index", call.index()));
            add(events, asked);
          }
          case ReplyParts.Part.End end -> end(events, end.reply());
        }
      }
      return events;
    }

    private void end(List<byte[]> events, InferenceReply reply) {
      if (!begun) {
        add(events, delta().put("content", ""));
      }
      ObjectNode last = chunk(JSON.objectNode());
      ((ObjectNode) last.path("choices").path(0))
          .put("finish_reason", ReplyForms.word(reply.finish()));
      events.add(ReplyEvents.data(last.toString()));
      if (call.usageAtEnd()) {
        ObjectNode counted = head("chat.completion.chunk", answering);
        counted.putArray("choices");
        counted.set("usage", usage(reply.usage()));
        events.add(ReplyEvents.data(counted.toString()));
      }
      events.add(DONE);
    }

    private ObjectNode delta() {
      ObjectNode delta = JSON.objectNode();
      return begun ? delta : delta.put("role", "assistant");
    }

    private void add(List<byte[]> events, JsonNode delta) {
      begun = true;
      events.add(ReplyEvents.data(chunk(delta).toString()));
    }

    private ObjectNode chunk(JsonNode delta) {
      ObjectNode chunk = head("chat.completion.chunk", answering);
      ObjectNode choice = chunk.putArray("choices").addObject().put("index", 0);
      choice.set("delta", delta);
      choice.putNull("logprobs").putNull("finish_reason");
      if (call.usageAtEnd()) {
        chunk.putNull("usage");
      }
      return chunk;
    }

    @Override
    public List<byte[]> failed(OpenAiError error) {
      return List.of(ReplyEvents.data(error.toJson().toString()));
    }
  }

  /** Reads the body of {@code POST /v1/chat/completions}. */
  public static final class ChatCompletionsRequest {

    private ChatCompletionsRequest() {}

    /**
     * @param usualTokens bound on a reply where the request has none
     * @param mostPages that a request may name
     * @throws OpenAiError naming the field that is not as it has to be
     */
    public static CompletionCall parse(JsonNode body, int usualTokens, int mostPages) {
      RequestFields request = new RequestFields(body, "");
      if (request.integer("n", 1, 128).orElse(1) > 1) {
        throw OpenAiError.unsupported("n", "n is not served but as 1: make a call for each reply");
      }
      request.refuse("logprobs", "replies have no log probabilities");
      request.refuse("top_logprobs", "replies have no log probabilities");
      request.refuse("functions", "say tools");
      request.refuse("function_call", "say tool_choice");
      request.refuse("audio", "replies are text");
      if (request.texts("modalities").contains("audio")) {
        throw OpenAiError.unsupported("modalities", "modalities is served as [\"text\"] only");
      }
      Conversation conversation = new Conversation("messages");
      List<RequestFields> messages = request.objects("messages");
      messages.forEach(message -> message(message, conversation));
      List<Tool> tools = new ArrayList<>();
      for (RequestFields tool : request.objects("tools")) {
        if (!tool.required("type").equals("function")) {
          throw OpenAiError.unsupported(
              tool.path("type"),
              tool.path("type") + " must be function: no other tools are served");
        }
        tools.add(
            ReplyDemands.tool(
                tool.object("function")
                    .orElseThrow(() ->
                        OpenAiError.invalid(
                            tool.path("function"), tool.path("function") + " is missing")),
                "parameters"));
      }
      final ToolChoice choice = ReplyDemands.choice(request);
      final Optional<JsonNode> schema =
          ReplyDemands.format(request.object("response_format"), "json_schema");
      OptionalLong older = request.integer("max_tokens", 1, Integer.MAX_VALUE);
      OptionalLong most = request.integer("max_completion_tokens", 1, Integer.MAX_VALUE);
      ReplyForm form =
          ReplyDemands.form(tools, choice, schema, usualTokens, most.isPresent() ? most : older);
      boolean usageAtEnd =
          request.object("stream_options").map(one -> one.flag("include_usage")).orElse(false);
      return CompletionCall.of(
          request,
          conversation,
          "stop",
          form,
          request.text("reasoning_effort"),
          usageAtEnd,
          mostPages);
    }

    private static void message(RequestFields message, Conversation into) {
      String role = message.required("role");
      switch (role) {
        case "system", "developer" -> into.instruction(message.content("content"));
        case "user" -> into.add(new ChatMessage.User(message.content("content")));
        case "tool" ->
            into.add(
                new ChatMessage.ToolResult(
                    message.required("tool_call_id"), message.content("content")));
        case "assistant" -> {
          List<ToolCall> calls = new ArrayList<>();
          for (RequestFields call : message.objects("tool_calls")) {
            RequestFields function =
                call.object("function")
                    .orElseThrow(() ->
                        OpenAiError.unsupported(
                            call.path("type"), "only calls of functions are served"));
            calls.add(
                new ToolCall(
                    call.required("id"),
                    function.required("name"),
                    ReplyDemands.arguments(
                        function.path("arguments"), function.text("arguments").orElse(""))));
          }
          into.add(new ChatMessage.Assistant(message.content("content"), calls));
        }
        default ->
            throw OpenAiError.invalid(
                message.path("role"),
                "%s is %s, but must be system, developer, user, assistant or tool"
                    .formatted(message.path("role"), role));
      }
    }
  }
}
