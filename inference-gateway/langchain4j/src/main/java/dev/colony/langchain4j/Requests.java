package dev.colony.langchain4j;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.provider.ModelProvider.Question;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.DefaultChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Questions in LangChain4j's terms. */
final class Requests {

  private static final String SCHEMA = "reply";

  private Requests() {}

  static ChatRequest of(Question question, ChatModelFactory factory) {
    return ChatRequest.builder()
        .messages(messages(question))
        .parameters(factory.parameters(parameters(question), question))
        .build();
  }

  private static ChatRequestParameters parameters(Question question) {
    DefaultChatRequestParameters.Builder<?> all = ChatRequestParameters.builder();
    question.model().ifPresent(all::modelName);
    question.sampling().temperature().ifPresent(all::temperature);
    question.sampling().topP().ifPresent(all::topP);
    if (!question.sampling().stop().isEmpty()) {
      all.stopSequences(question.sampling().stop());
    }
    all.maxOutputTokens(question.maxTokens());
    if (question.json()) {
      all.responseFormat(format(question));
    }
    if (!question.tools().isEmpty()) {
      tools(question, all);
    }
    return all.build();
  }

  private static ResponseFormat format(Question question) {
    ResponseFormat.Builder format = ResponseFormat.builder().type(ResponseFormatType.JSON);
    question
        .schema()
        .ifPresent(schema ->
            format.jsonSchema(
                JsonSchema.builder()
                    .name(SCHEMA)
                    .rootElement(JsonRawSchema.from(schema.toString()))
                    .build()));
    return format.build();
  }

  /**
   * LangChain4j does not name the tool that has to be called: it is the only one that is offered.
   */
  private static void tools(Question question, DefaultChatRequestParameters.Builder<?> all) {
    List<Tool> offered =
        question.toolChoice() instanceof ToolChoice.Named named
            ? question.tools().stream().filter(one -> one.name().equals(named.tool())).toList()
            : question.tools();
    all.toolSpecifications(offered.stream().map(Requests::tool).toList());
    all.toolChoice(
        switch (question.toolChoice()) {
          case ToolChoice.Auto auto -> dev.langchain4j.model.chat.request.ToolChoice.AUTO;
          case ToolChoice.None none -> dev.langchain4j.model.chat.request.ToolChoice.NONE;
          case ToolChoice.Required must -> dev.langchain4j.model.chat.request.ToolChoice.REQUIRED;
          case ToolChoice.Named named -> dev.langchain4j.model.chat.request.ToolChoice.REQUIRED;
        });
  }

  /** Properties go as they are; of what else an object's schema may say, what LangChain4j has. */
  private static ToolSpecification tool(Tool tool) {
    JsonNode schema = tool.parameters();
    JsonObjectSchema.Builder object = JsonObjectSchema.builder();
    schema
        .path("properties")
        .properties()
        .forEach(
            one -> object.addProperty(one.getKey(), JsonRawSchema.from(one.getValue().toString())));
    List<String> required = new ArrayList<>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    object.required(required);
    if (schema.path("additionalProperties").isBoolean()) {
      object.additionalProperties(schema.path("additionalProperties").booleanValue());
    }
    Map<String, JsonSchemaElement> definitions = new HashMap<>();
    schema
        .path("$defs")
        .properties()
        .forEach(
            one -> definitions.put(one.getKey(), JsonRawSchema.from(one.getValue().toString())));
    if (!definitions.isEmpty()) {
      object.definitions(definitions);
    }
    return ToolSpecification.builder()
        .name(tool.name())
        .description(tool.description())
        .parameters(object.build())
        .build();
  }

  /** Without those of caller and application that are blank: LangChain4j takes none. */
  private static List<ChatMessage> messages(Question question) {
    List<ChatMessage> all = new ArrayList<>();
    if (!question.system().isBlank()) {
      all.add(SystemMessage.from(question.system()));
    }
    Map<String, String> called = new HashMap<>();
    for (dev.colony.inference.ChatMessage message : question.messages()) {
      switch (message) {
        case dev.colony.inference.ChatMessage.User user -> {
          if (!user.text().isBlank()) {
            all.add(UserMessage.from(user.text()));
          }
        }
        case dev.colony.inference.ChatMessage.Instruction instruction -> {
          if (!instruction.text().isBlank()) {
            all.add(SystemMessage.from(instruction.text()));
          }
        }
        case dev.colony.inference.ChatMessage.ToolResult result ->
            all.add(
                ToolExecutionResultMessage.from(
                    result.callId(), called.getOrDefault(result.callId(), ""), result.text()));
        case dev.colony.inference.ChatMessage.Assistant said -> {
          said.toolCalls().forEach(call -> called.put(call.id(), call.name()));
          all.add(
              said.toolCalls().isEmpty()
                  ? AiMessage.from(said.text())
                  : AiMessage.from(
                      said.text(), said.toolCalls().stream().map(Requests::call).toList()));
        }
      }
    }
    return all;
  }

  private static ToolExecutionRequest call(ToolCall call) {
    return ToolExecutionRequest.builder()
        .id(call.id())
        .name(call.name())
        .arguments(call.arguments().toString())
        .build();
  }
}
