package dev.colony.langchain4j;

import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.RecordingModelServer.Reply;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/** Factories of models, what a scripted server answers, and how it is asked. */
abstract class LangChain4jFixture {

  static final String PAGE = "com.example.models.OpenAiModels";
  static final String WHOLE = "dev.colony.langchain4j.Factories$Whole";
  static final String OWN_HTTP = "dev.colony.langchain4j.Factories$OwnHttp";

  static final String USAGE =
      "data: {\"model\":\"m-2\",\"choices\":[],\"usage\":{\"prompt_tokens\":120,"
          + "\"completion_tokens\":12,\"total_tokens\":132,"
          + "\"prompt_tokens_details\":{\"cached_tokens\":96},"
          + "\"completion_tokens_details\":{\"reasoning_tokens\":5}}}";

  static String delta(String delta, String finish) {
    return "data: {\"id\":\"1\",\"model\":\"m-2\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}"
        .formatted(delta, finish == null ? "null" : '"' + finish + '"');
  }

  static Reply text(String... parts) {
    return Reply.events(
        Stream.of(
                Stream.of(parts).map(part -> delta("{\"content\":" + quoted(part) + "}", null)),
                Stream.of(delta("{}", "stop"), USAGE, "data: [DONE]"))
            .flatMap(one -> one)
            .toArray(String[]::new));
  }

  static String quoted(String text) {
    return new TextNode(text).toString();
  }

  static InferenceReply ask(Rig rig, InferenceRequest request) {
    return rig.gateway.complete(request).join();
  }

  static InferenceException failure(Rig rig, InferenceRequest request) {
    CompletionException failure =
        catchThrowableOfType(CompletionException.class, () -> ask(rig, request));
    return (InferenceException) failure.getCause();
  }

  static JsonNode sent(Rig rig, int index) {
    return rig.served.chats().get(index).json();
  }
}
