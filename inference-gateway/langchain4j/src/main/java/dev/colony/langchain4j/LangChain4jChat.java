package dev.colony.langchain4j;

import com.fasterxml.jackson.core.JacksonException;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.provider.ModelProvider;
import dev.colony.inference.provider.ModelProvider.End;
import dev.colony.inference.provider.ModelProvider.ErrorStatus;
import dev.colony.inference.provider.ModelProvider.Failed;
import dev.colony.inference.provider.ModelProvider.Finished;
import dev.colony.inference.provider.ModelProvider.Part;
import dev.colony.inference.provider.ModelProvider.Question;
import dev.colony.inference.provider.ModelProvider.Reasoning;
import dev.colony.inference.provider.ModelProvider.Text;
import dev.colony.inference.provider.ModelProvider.Tokens;
import dev.colony.inference.provider.ModelProvider.ToolArguments;
import dev.colony.langchain4j.BlockingHttpClient.ErrorStatusException;
import dev.colony.langchain4j.ChatModelFactory.Made;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.exception.AuthenticationException;
import dev.langchain4j.exception.ContentFilteredException;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.exception.NonRetriableException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.exception.TimeoutException;
import dev.langchain4j.exception.UnresolvedModelServerException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.PartialThinking;
import dev.langchain4j.model.chat.response.PartialThinkingContext;
import dev.langchain4j.model.chat.response.PartialToolCall;
import dev.langchain4j.model.chat.response.PartialToolCallContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** One model of LangChain4j. Each question has a virtual thread: models may block. */
final class LangChain4jChat implements ModelProvider.Chat {

  private final ChatModelFactory factory;
  private final Made made;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("langchain4j-", 0).factory());

  LangChain4jChat(ChatModelFactory factory, Made made) {
    this.factory = factory;
    this.made = Objects.requireNonNull(made, "a factory makes a model");
  }

  @Override
  public boolean streams() {
    return made instanceof Made.Streaming;
  }

  @Override
  public Runnable ask(Question question, Consumer<Part> parts) {
    Answer answer = new Answer(parts);
    try {
      Future<?> asking = threads.submit(() -> ask(question, answer));
      return () -> {
        if (answer.cancel()) {
          asking.cancel(true);
        }
      };
    } catch (RejectedExecutionException closed) {
      answer.end(new Failed(Kind.SERVER_ERROR, "is closed", closed));
      return () -> {};
    }
  }

  private void ask(Question question, Answer answer) {
    try {
      ChatRequest request = Requests.of(question, factory);
      switch (made) {
        case Made.Streaming streaming -> streaming.model().chat(request, answer);
        case Made.Whole whole -> answer.onCompleteResponse(whole.model().chat(request));
      }
    } catch (RuntimeException | Error failure) {
      answer.onError(failure);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  /** What comes of one question. LangChain4j calls it from one thread at a time. */
  private final class Answer implements StreamingChatResponseHandler {

    private final Consumer<Part> parts;

    /** Indexes of calls of which parts have come, and not the end. */
    private final Set<Integer> open = new HashSet<>();

    private boolean calls;
    private boolean text;
    private boolean reasoning;
    private boolean ended;
    private boolean cancelled;
    private StreamingHandle handle;

    Answer(Consumer<Part> parts) {
      this.parts = parts;
    }

    /** Whether that is news. */
    synchronized boolean cancel() {
      if (ended || cancelled) {
        return false;
      }
      cancelled = true;
      if (handle != null) {
        handle.cancel();
      }
      return true;
    }

    /** A handle comes with the first part, and not before. */
    private synchronized void under(StreamingHandle with) {
      handle = with;
      if (cancelled && !with.isCancelled()) {
        with.cancel();
      }
    }

    private synchronized void end(End last) {
      ended = true;
      parts.accept(last);
    }

    @Override
    public void onPartialResponse(PartialResponse more, PartialResponseContext context) {
      under(context.streamingHandle());
      onPartialResponse(more.text());
    }

    @Override
    public void onPartialResponse(String more) {
      text = true;
      parts.accept(new Text(more));
    }

    @Override
    public void onPartialThinking(PartialThinking more, PartialThinkingContext context) {
      under(context.streamingHandle());
      onPartialThinking(more);
    }

    @Override
    public void onPartialThinking(PartialThinking more) {
      reasoning = true;
      parts.accept(new Reasoning(more.text()));
    }

    @Override
    public void onPartialToolCall(PartialToolCall more, PartialToolCallContext context) {
      under(context.streamingHandle());
      onPartialToolCall(more);
    }

    @Override
    public void onPartialToolCall(PartialToolCall more) {
      calls = true;
      open.add(more.index());
      parts.accept(
          new ToolArguments(
              more.index(), told(more.id()), told(more.name()), told(more.partialArguments())));
    }

    @Override
    public void onCompleteToolCall(CompleteToolCall call) {
      whole(call.index(), call.toolExecutionRequest());
    }

    /** All of a call of which no part has come: some models number all of theirs 0. */
    private void whole(int index, ToolExecutionRequest call) {
      calls = true;
      if (!open.remove(index)) {
        parts.accept(
            new ToolArguments(index, told(call.id()), told(call.name()), told(call.arguments())));
      }
    }

    @Override
    public void onCompleteResponse(ChatResponse response) {
      AiMessage said = response.aiMessage();
      if (!reasoning && !told(said.thinking()).isEmpty()) {
        parts.accept(new Reasoning(said.thinking()));
      }
      if (!text && !told(said.text()).isEmpty()) {
        parts.accept(new Text(said.text()));
      }
      if (!calls) {
        List<ToolExecutionRequest> all = said.toolExecutionRequests();
        for (int i = 0; i < all.size(); i++) {
          whole(i, all.get(i));
        }
      }
      end(ending(response));
    }

    @Override
    public void onError(Throwable failure) {
      end(Failures.of(failure));
    }
  }

  private End ending(ChatResponse response) {
    if (response.finishReason() == null && streams()) {
      return new Failed(Kind.BROKEN_OFF, "broke off its reply: it ended without saying why", null);
    }
    try {
      Optional<Tokens> used =
          Optional.ofNullable(response.tokenUsage())
              .filter(one -> one.inputTokenCount() != null && one.outputTokenCount() != null)
              .map(factory::tokens);
      return new Finished(reason(response), used, told(response.modelName()));
    } catch (RuntimeException failure) {
      return Failures.of(failure);
    }
  }

  private static FinishReason reason(ChatResponse response) {
    return switch (response.finishReason()) {
      case LENGTH -> FinishReason.LENGTH;
      case TOOL_EXECUTION -> FinishReason.TOOL_CALLS;
      case CONTENT_FILTER -> FinishReason.CONTENT_FILTER;
      case STOP, OTHER -> FinishReason.STOP;
      case null -> FinishReason.STOP;
    };
  }

  private static String told(String text) {
    return text == null ? "" : text;
  }

  /** What LangChain4j throws, in the gateway's terms. */
  static final class Failures {

    private static final HttpHeaders UNKNOWN = HttpHeaders.of(Map.of(), (name, value) -> true);

    /** Causes may have each other as causes. */
    private static final int MOST_CAUSES = 16;

    private Failures() {}

    /** By the first of its causes that says what it is, of which an HTTP status says most. */
    static End of(Throwable failure) {
      List<Throwable> causes =
          Stream.iterate(failure, one -> one != null, Throwable::getCause)
              .limit(MOST_CAUSES)
              .toList();
      for (Throwable cause : causes) {
        if (cause instanceof HttpException status) {
          HttpHeaders headers =
              status instanceof ErrorStatusException own ? own.headers() : UNKNOWN;
          return new ErrorStatus(status.statusCode(), headers, words(status), failure);
        }
      }
      return causes.stream()
          .flatMap(cause -> known(cause).stream())
          .findFirst()
          .orElseGet(() -> new Failed(Kind.SERVER_ERROR, "failed: " + words(failure), failure));
    }

    private static Optional<Failed> known(Throwable cause) {
      String words = words(cause);
      Kind kind =
          switch (cause) {
            case AuthenticationException e -> Kind.REFUSED;
            case RateLimitException e -> Kind.OVERLOADED;
            case TimeoutException e -> Kind.TIMEOUT;
            case UnresolvedModelServerException e -> Kind.UNREACHABLE;
            case ContentFilteredException e -> Kind.BAD_REPLY;
            case NonRetriableException e -> Kind.REFUSED;
            case UnsupportedFeatureException e -> Kind.REFUSED;
            case HttpConnectTimeoutException e -> Kind.UNREACHABLE;
            case ConnectException e -> Kind.UNREACHABLE;
            case UnknownHostException e -> Kind.UNREACHABLE;
            case UnresolvedAddressException e -> Kind.UNREACHABLE;
            case HttpTimeoutException e -> Kind.TIMEOUT;
            case SSLException e -> Kind.REFUSED;
            case JacksonException e -> Kind.BAD_REPLY;
            case IOException e -> Kind.BROKEN_OFF;
            case IllegalArgumentException e -> Kind.REFUSED;
            default -> null;
          };
      return Optional.ofNullable(kind).map(one -> new Failed(one, said(one) + ": " + words, cause));
    }

    private static String said(Kind kind) {
      return switch (kind) {
        case UNREACHABLE -> "cannot be reached";
        case OVERLOADED -> "is overloaded";
        case TIMEOUT -> "gave no reply in time";
        case REFUSED -> "refuses the request";
        case BAD_REPLY -> "answered with something that is no reply";
        case BROKEN_OFF -> "broke off its reply";
        case SERVER_ERROR, REJECTED, EVICTED, QUOTA, OUT_OF_BUDGET, SUSPENDED, TOO_LONG -> "failed";
      };
    }

    private static String words(Throwable cause) {
      return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
  }
}
