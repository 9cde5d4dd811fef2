package dev.colony.server.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the body of {@code POST /v1/chat/completions}. */
public final class ChatCompletionsRequest {

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
    Conversation conversation = new Conversation();
    List<RequestFields> messages = request.objects("messages");
    messages.forEach(message -> message(message, conversation));
    List<Tool> tools = new ArrayList<>();
    for (RequestFields tool : request.objects("tools")) {
      if (!tool.required("type").equals("function")) {
        throw OpenAiError.unsupported(
            tool.path("type"), tool.path("type") + " must be function: no other tools are served");
      }
      tools.add(
          ReplyDemands.tool(
              tool.object("function")
                  .orElseThrow(() ->
                      OpenAiError.invalid(
                          tool.path("function"), tool.path("function") + " is missing"))));
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
        "messages",
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
