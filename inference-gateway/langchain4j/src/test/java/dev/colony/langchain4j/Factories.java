package dev.colony.langchain4j;

import dev.colony.inference.provider.ModelProvider;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;

/** Factories of other models than that of the page. */
public final class Factories {

  private Factories() {}

  /** Of a model that replies as a whole. */
  public static final class Whole implements ChatModelFactory {

    @Override
    public Made make(ModelProvider.Settings settings, HttpClientBuilder http) {
      return new Made.Whole(
          OpenAiChatModel.builder()
              .httpClientBuilder(http)
              .baseUrl(settings.config().getString("base-url"))
              .apiKey("none")
              .strictJsonSchema(true)
              .maxRetries(0)
              .build());
    }
  }

  /** Of a model with LangChain4j's own HTTP client. */
  public static final class OwnHttp implements ChatModelFactory {

    @Override
    public Made make(ModelProvider.Settings settings, HttpClientBuilder http) {
      return new Made.Streaming(
          OpenAiStreamingChatModel.builder()
              .baseUrl(settings.config().getString("base-url"))
              .apiKey("none")
              .strictJsonSchema(true)
              .build());
    }
  }

  /** One whose model's library is not there. */
  public static final class Unlinked implements ChatModelFactory {

    @Override
    public Made make(ModelProvider.Settings settings, HttpClientBuilder http) {
      throw new NoClassDefFoundError("com/example/Gone");
    }
  }
}
