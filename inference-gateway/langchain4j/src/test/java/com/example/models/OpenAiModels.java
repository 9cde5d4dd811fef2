package com.example.models;

import dev.colony.inference.provider.ModelProvider;
import dev.colony.inference.provider.ModelProvider.Question;
import dev.colony.inference.provider.ModelProvider.Tokens;
import dev.colony.langchain4j.ChatModelFactory;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.openai.OpenAiChatRequestParameters;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.model.openai.OpenAiTokenUsage;
import dev.langchain4j.model.output.TokenUsage;
import java.util.OptionalLong;

public final class OpenAiModels implements ChatModelFactory {

  @Override
  public Made make(ModelProvider.Settings settings, HttpClientBuilder http) {
    return new Made.Streaming(
        OpenAiStreamingChatModel.builder()
            .httpClientBuilder(http)
            .baseUrl(settings.config().getString("base-url"))
            .apiKey(settings.apiKey().orElse("none"))
            .strictJsonSchema(true)
            .returnThinking(true)
            .build());
  }

  @Override
  public ChatRequestParameters parameters(ChatRequestParameters common, Question question) {
    OpenAiChatRequestParameters.Builder all =
        OpenAiChatRequestParameters.builder().overrideWith(common);
    question.sampling().seed().ifPresent(seed -> all.seed((int) seed));
    return all.build();
  }

  @Override
  public Tokens tokens(TokenUsage told) {
    return told instanceof OpenAiTokenUsage all && all.inputTokensDetails() != null
        ? new Tokens(
            told.inputTokenCount(),
            OptionalLong.of(all.inputTokensDetails().cachedTokens()),
            told.outputTokenCount(),
            all.outputTokensDetails() == null ? 0 : all.outputTokensDetails().reasoningTokens())
        : ChatModelFactory.super.tokens(told);
  }
}
