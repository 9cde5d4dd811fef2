package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.server.http.CompletionCall.Conversation;
import dev.colony.server.http.RequestFields.ReplyDemands;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the body of {@code POST /v1/responses}. */
public final class ResponsesRequest {

  private static final String STATELESS =
      "a model's responses are not kept, an agent's are: give the whole conversation as input";

  private static final List<String> OF_AGENTS =
      List.of("previous_response_id", "conversation", "background");

  private ResponsesRequest() {}

  /**
   * @param usualTokens bound on a reply where the request has none
   * @param mostPages that a request may name
   * @throws OpenAiError naming the field that is not as it has to be
   */
  public static CompletionCall parse(JsonNode body, int usualTokens, int mostPages) {
    RequestFields request = new RequestFields(body, "");
    if (request.text("model").filter(OpenAiEndpoints::agent).isPresent()) {
      OF_AGENTS.forEach(request::any);
    } else {
      OF_AGENTS.forEach(field -> request.refuse(field, STATELESS));
    }
    request.refuse("prompt", "there are no stored prompts");
    // A model's response is never stored, and nothing beyond the output can be included in one.
    request.any("store");
    request.any("include");
    Conversation conversation = new Conversation("input");
    request.text("instructions").ifPresent(conversation::instruction);
    Optional<JsonNode> input = request.any("input");
    if (input.filter(JsonNode::isTextual).isPresent()) {
      conversation.add(new ChatMessage.User(input.get().textValue()));
    } else {
      items(request.objects("input"), conversation);
    }
    List<Tool> tools = new ArrayList<>();
    for (RequestFields tool : request.objects("tools")) {
      String type = tool.required("type");
      if (!type.equals("function")) {
        throw OpenAiError.unsupported(
            tool.path("type"),
            "%s is %s, but only functions are served".formatted(tool.path("type"), type));
      }
      tools.add(ReplyDemands.tool(tool, "parameters"));
    }
    final ToolChoice choice = ReplyDemands.choice(request);
    Optional<RequestFields> text = request.object("text");
    Optional<JsonNode> schema = ReplyDemands.format(text.flatMap(one -> one.object("format")), "");
    ReplyForm form =
        ReplyDemands.form(
            tools,
            choice,
            schema,
            usualTokens,
            request.integer("max_output_tokens", 1, Integer.MAX_VALUE));
    request.any("stream_options");
    return CompletionCall.of(
        request,
        conversation,
        "stop",
        form,
        request.object("reasoning").flatMap(one -> one.text("effort")),
        true,
        mostPages);
  }

  private static void items(List<RequestFields> items, Conversation into) {
    List<ToolCall> calls = new ArrayList<>();
    String said = "";
    for (RequestFields item : items) {
      String type = item.text("type").orElse("message");
      boolean assistant =
          type.equals("message") && item.text("role").orElse("").equals("assistant");
      boolean ofTheModel = assistant || type.equals("function_call") || type.equals("reasoning");
      if (!calls.isEmpty() && (assistant || !ofTheModel)
          || !said.isEmpty() && (assistant || !ofTheModel)) {
        into.add(new ChatMessage.Assistant(said, calls));
        calls.clear();
        said = "";
      }
      switch (type) {
        case "message" -> {
          if (assistant) {
            said = item.content("content");
          } else {
            message(item, into);
          }
        }
        case "function_call" ->
            calls.add(
                new ToolCall(
                    item.required("call_id"),
                    item.required("name"),
                    ReplyDemands.arguments(
                        item.path("arguments"), item.text("arguments").orElse(""))));
        case "function_call_output" ->
            into.add(new ChatMessage.ToolResult(item.required("call_id"), item.content("output")));
        // What a model has thought is not given to it again.
        case "reasoning" -> {}
        default ->
            throw OpenAiError.unsupported(
                item.path("type"),
                "%s is %s, but only messages, function calls and their outputs are served"
                    .formatted(item.path("type"), type));
      }
    }
    if (!calls.isEmpty() || !said.isEmpty()) {
      into.add(new ChatMessage.Assistant(said, calls));
    }
  }

  private static void message(RequestFields item, Conversation into) {
    String role = item.required("role");
    switch (role) {
      case "system", "developer" -> into.instruction(item.content("content"));
      case "user" -> into.add(new ChatMessage.User(item.content("content")));
      default ->
          throw OpenAiError.invalid(
              item.path("role"),
              "%s is %s, but must be system, developer, user or assistant"
                  .formatted(item.path("role"), role));
    }
  }
}
