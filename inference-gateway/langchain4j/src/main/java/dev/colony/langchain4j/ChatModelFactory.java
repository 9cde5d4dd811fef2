package dev.colony.langchain4j;

import dev.colony.inference.provider.ModelProvider;
import dev.colony.inference.provider.ModelProvider.Question;
import dev.colony.inference.provider.ModelProvider.Tokens;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.output.TokenUsage;
import java.util.OptionalLong;

/**
 * Makes a model of LangChain4j for a model of {@code colony.inference.models}. A public class with
 * a public constructor without parameters, named by {@code provider-settings.factory}.
 */
public interface ChatModelFactory {

  /** A model of LangChain4j. */
  sealed interface Made {

    /** One that replies in parts. */
    record Streaming(StreamingChatModel model) implements Made {}

    /** One that does not. */
    record Whole(ChatModel model) implements Made {}
  }

  /**
   * Makes the model; called once, when a node starts. It should make no attempts of its own after a
   * failure: the gateway does, with backoff and by what is left of the call's deadline.
   *
   * @param settings their {@code config} has what {@code provider-settings} has
   * @param http for a model whose builder takes an HTTP client. With it a call that is given up
   *     ends before the first part of its reply, and {@code Retry-After} is honoured: the HTTP
   *     clients of LangChain4j do neither. It has no timeout for replies, the gateway has
   * @throws RuntimeException if a setting is wrong; the node does not start, and says its message
   */
  Made make(ModelProvider.Settings settings, HttpClientBuilder http);

  /**
   * What is sent with a call. LangChain4j has no seed, no effort of reasoning and no further fields
   * that hold for all of its models: an operator who needs them adds them here.
   *
   * @param common what holds for all models: name, temperature, top-p, stop, tools, reply format
   *     and bound on the reply
   */
  default ChatRequestParameters parameters(ChatRequestParameters common, Question question) {
    return common;
  }

  /**
   * What a call used. Which tokens came from a cache, and with which a model reasoned, each library
   * of a model says in its own way: an operator who wants them counted reads them here.
   *
   * @param told has counts of prompt and reply
   */
  default Tokens tokens(TokenUsage told) {
    return new Tokens(told.inputTokenCount(), OptionalLong.empty(), told.outputTokenCount(), 0);
  }
}
