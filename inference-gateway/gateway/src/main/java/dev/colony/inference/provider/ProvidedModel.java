package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.provider.HttpExchanges.Deadline;
import dev.colony.inference.provider.ModelProvider.Chat;
import dev.colony.inference.provider.ModelProvider.End;
import dev.colony.inference.provider.ModelProvider.ErrorStatus;
import dev.colony.inference.provider.ModelProvider.Failed;
import dev.colony.inference.provider.ModelProvider.Finished;
import dev.colony.inference.provider.ModelProvider.Part;
import dev.colony.inference.provider.ModelProvider.Question;
import dev.colony.inference.provider.ModelProvider.Reasoning;
import dev.colony.inference.provider.ModelProvider.Text;
import dev.colony.inference.provider.ModelProvider.ToolArguments;
import dev.colony.inference.provider.ServerError.StatusErrors;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One model that a library asks, see {@link ModelProvider}. */
public final class ProvidedModel extends ModelClient implements AutoCloseable {

  private final Chat chat;
  private final int maxReplyBytes;

  /**
   * @param place of the model, for what is said of it
   */
  public ProvidedModel(URI place, ProviderSettings settings, Chat chat) {
    this(place, settings, chat, ProviderSettings.MOST_REPLY_BYTES);
  }

  ProvidedModel(URI place, ProviderSettings settings, Chat chat, int maxReplyBytes) {
    super(place, settings, settings.dialect().orElseGet(() -> Dialect.named(Dialect.DEFAULT)));
    this.maxReplyBytes = maxReplyBytes;
    this.chat = chat;
    if (!chat.streams()) {
      dialect.updateAndGet(Dialect::whole);
    }
  }

  @Override
  public Optional<ServedModel> served() {
    return settings().model().map(ServedModel::named);
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    chat.close();
  }

  @Override
  ServedModel model(Duration timeout) {
    return served().orElseGet(() -> ServedModel.named(base().toString()));
  }

  @Override
  void exchange(Exchange exchange, String key, Deadline begin, Deadline end, ReplyBuilder reply)
      throws CallFailure, InterruptedException {
    Parts parts = new Parts(maxReplyBytes);
    Runnable cancel = chat.ask(question(exchange), parts::add);
    try {
      while (true) {
        switch (parts.next(reply.begun() ? goOn(end) : begin)) {
          case Text text -> {
            reply.accept();
            reply.text(text.more());
          }
          case Reasoning reasoning -> {
            reply.accept();
            reply.reasoning(reasoning.more());
          }
          case ToolArguments call -> {
            reply.accept();
            reply.nextDelta();
            reply.tool(Integer.toString(call.index()), call.id(), call.name(), call.more());
          }
          case Finished finished -> {
            reply.accept();
            finished(finished, reply);
            return;
          }
          case ErrorStatus error ->
              throw StatusErrors.failure(
                  base(),
                  error.status(),
                  error.headers(),
                  error.body().getBytes(StandardCharsets.UTF_8),
                  error.cause());
          case Failed failed ->
              throw CallFailure.unplaced(
                  failed.kind(), HttpExchanges.oneLine(failed.what()), failed.cause());
        }
      }
    } catch (CallFailure failure) {
      throw failure.at(base());
    } finally {
      cancel.run();
    }
  }

  private static void finished(Finished finished, ReplyBuilder reply) {
    reply.finish(finished.reason());
    finished
        .used()
        .ifPresent(used ->
            reply.usage(
                OptionalLong.of(used.prompt()),
                used.cached(),
                OptionalLong.of(used.completion()),
                OptionalLong.of(used.reasoning())));
    reply.model(finished.model());
    reply.end();
  }

  /** What has come and has not been read. */
  private static final class Parts {

    /** What a part takes at least, so that empty ones are bounded, too. */
    private static final int LEAST_PART = 64;

    private final BlockingQueue<Part> queue = new LinkedBlockingQueue<>();
    private final long most;
    private long all;
    private boolean over;

    /**
     * @param most characters that a reply may have, about
     */
    Parts(long most) {
      this.most = most;
    }

    synchronized void add(Part part) {
      if (over) {
        return;
      }
      all += size(part);
      boolean tooMany = all > most && !(part instanceof End);
      over = tooMany || part instanceof End;
      queue.add(
          tooMany
              ? new Failed(Kind.BAD_REPLY, "answers with more than " + most + " bytes", null)
              : part);
    }

    Part next(Deadline until) throws CallFailure, InterruptedException {
      Part part = queue.poll(until.leftNanos(), TimeUnit.NANOSECONDS);
      if (part == null) {
        throw CallFailure.unplaced(Kind.TIMEOUT, until.words(), null);
      }
      return part;
    }

    private static long size(Part part) {
      return switch (part) {
        case Text text -> LEAST_PART + text.more().length();
        case Reasoning reasoning -> LEAST_PART + reasoning.more().length();
        case ToolArguments call -> LEAST_PART + call.more().length();
        case End end -> 0;
      };
    }
  }

  private Question question(Exchange exchange) {
    Optional<ReplyContract.Format> format = exchange.contract().format();
    Map<String, JsonNode> extra = new HashMap<>(exchange.request().extraFields());
    extra.keySet().removeIf(field -> !exchange.sends(field));
    return new Question(
        settings().model(),
        exchange.system(),
        exchange.messages(),
        exchange.contract().tools(),
        exchange.contract().toolChoice(),
        format.isPresent(),
        format.flatMap(ReplyContract.Format::schema),
        exchange.sampling(),
        exchange.maxTokens(),
        extra);
  }
}
