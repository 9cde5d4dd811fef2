package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.HttpExchanges.Deadline;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Asks one model: at a server, over HTTP, or by a library, see {@link ModelProvider}. Calls block,
 * so they belong on virtual threads; an interrupt aborts the call where the model is. Thread-safe.
 */
public abstract sealed class ModelClient permits ModelServer, ProvidedModel {

  /** A refusal's number is believed so long: the server may be started with another one. */
  private static final Duration REMEMBERED = Duration.ofMinutes(10);

  private record Limit(OptionalLong tokens, long untilNanos) {}

  private final URI base;

  /** Forms whose schemas a server has refused, of which it is known how to ask for them. */
  private static final int MOST_REFUSED = 64;

  private final ProviderSettings settings;
  final AtomicReference<Dialect> dialect;
  private final TokenScale scale = new TokenScale();
  private volatile boolean tellsCached;
  private final AtomicReference<Limit> limit =
      new AtomicReference<>(new Limit(OptionalLong.empty(), System.nanoTime()));

  private final Map<Schemas, Dialect> refused =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Schemas, Dialect> eldest) {
          return size() > MOST_REFUSED;
        }
      };

  ModelClient(URI base, ProviderSettings settings, Dialect assumed) {
    this.base = base;
    this.settings = settings;
    this.dialect = new AtomicReference<>(assumed);
  }

  /** The model that is asked; empty before the first call. */
  public abstract Optional<ServedModel> served();

  /** How many calls it takes at once; empty where it does not say. Answers from memory. */
  public OptionalInt slots() {
    return OptionalInt.empty();
  }

  /** Whether it is known which model is asked, after the server was asked for it. Blocks. */
  public final boolean known(Duration timeout) {
    try {
      return model(timeout) != null;
    } catch (CallFailure unknown) {
      return false;
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** As far as it is known by now. */
  public final Dialect dialect() {
    return dialect.get();
  }

  /**
   * Of the model that is asked, as a refusal named it, else as it is listed; empty before the first
   * call, and where nothing says it.
   */
  public OptionalLong contextTokens() {
    if (settings.contextTokens().isPresent()) {
      return settings.contextTokens();
    }
    OptionalLong listed = served().map(ServedModel::contextTokens).orElse(OptionalLong.empty());
    Limit told = limit.get();
    return told.untilNanos() - System.nanoTime() > 0 ? told.tokens() : listed;
  }

  /**
   * One attempt. A reply that is not what the request's form demands is asked for once more: with
   * more room if it was cut at its bound, else with what was wrong shown to the model. After that
   * it is a bad reply.
   *
   * @param replica how the model's place is called in what the parts say
   * @param timeout for all exchanges of the attempt together
   * @param parts gets the reply's parts as they come, on the caller's thread; but no {@link
   *     InferenceDelta.Done}
   * @param spent is told what each exchange used, also if this is interrupted
   */
  public final Attempt complete(
      InferenceRequest request,
      String replica,
      Duration timeout,
      Consumer<InferenceDelta> parts,
      UsageTally spent)
      throws InterruptedException {
    return complete(request, replica, timeout, Patience.USUAL, parts, spent);
  }

  /** The same, with more or less patience. */
  public final Attempt complete(
      InferenceRequest request,
      String replica,
      Duration timeout,
      Patience patience,
      Consumer<InferenceDelta> parts,
      UsageTally spent)
      throws InterruptedException {
    try {
      return new ModelAttempt(this, request, replica, timeout, patience, parts, spent).run();
    } catch (CallFailure failure) {
      return failure.toAttempt(spent.total());
    }
  }

  /**
   * One attempt at embedding texts, see {@link dev.colony.inference.InferenceGateway#embed}. The
   * reply has no text.
   *
   * @param spent is told what it used, also if it fails
   * @param data gets what the server made of the texts
   */
  public final Attempt embed(
      InferenceRequest request, Duration timeout, UsageTally spent, Consumer<JsonNode> data)
      throws InterruptedException {
    Optional<Usage> used = Optional.empty();
    try {
      spent.begins(request.prompt().estimatedTokens(), 0);
      long asked = System.nanoTime();
      try {
        JsonNode reply = embeddings(request, timeout);
        used =
            Optional.of(
                new Usage(
                    reply.at("/usage/prompt_tokens").asLong(request.prompt().estimatedTokens()),
                    0,
                    0));
        data.accept(reply.path("data"));
        return new Attempt.Answered(
            "",
            List.of(),
            "",
            FinishReason.STOP,
            used.get(),
            OptionalLong.empty(),
            reply.path("model").asText(""),
            Duration.ofNanos(System.nanoTime() - asked));
      } finally {
        spent.ended(used);
      }
    } catch (CallFailure failure) {
      return failure.toAttempt(spent.total());
    }
  }

  /** What the server answers, whose {@code data} is a list. */
  JsonNode embeddings(InferenceRequest request, Duration timeout)
      throws CallFailure, InterruptedException {
    throw new CallFailure(InferenceException.Kind.REFUSED, base + " embeds no texts", null);
  }

  /**
   * How long the first part of a reply is waited for.
   *
   * @param times the usual bound, at least 1
   * @param moves whether the server gets on with other calls, asked whenever the time is over: then
   *     this one waits in its queue, and waits on
   */
  public record Patience(int times, BooleanSupplier moves) {

    static final Patience USUAL = new Patience(1, () -> false);
  }

  /**
   * What a server said of a touch.
   *
   * @param cachedTokens of its prompt; empty where it says nothing
   */
  public record Touched(Usage usage, OptionalLong cachedTokens) {}

  /**
   * Has the blocks of a prompt used, by asking for one token over it; what is answered is not
   * looked at. The prompt is sent as {@link #complete} sends it.
   *
   * @param key of the exchange, not used before
   * @throws InferenceException if the server does not answer
   */
  public final Touched touch(InferenceRequest request, String key, Duration timeout)
      throws InterruptedException {
    Deadline end = Deadline.ofReply(timeout);
    ReplyBuilder reply = new ReplyBuilder(part -> {});
    try {
      ServedModel model = model(timeout);
      ReplyContract contract = new ReplyContract(request.reply(), dialect());
      exchange(
          new Exchange(request, model.id(), dialect(), contract, List.of(), 1, false, ""),
          key,
          begin(dialect(), Patience.USUAL, end),
          end,
          reply);
    } catch (CallFailure failure) {
      throw failure.toInferenceException(Usage.NONE);
    }
    Usage used = reply.used(request.prompt().estimatedTokens());
    return new Touched(used, reply.cached(used));
  }

  /** Where it is, for what is said of it. */
  final URI base() {
    return base;
  }

  final ProviderSettings settings() {
    return settings;
  }

  /** The model to ask. */
  abstract ServedModel model(Duration timeout) throws CallFailure, InterruptedException;

  /** How the model's own count of tokens goes with estimates. */
  final TokenScale scale() {
    return scale;
  }

  /**
   * Whether the server is one that says how much of a prompt was cached.
   *
   * @param now whether it has just said so
   */
  final boolean tellsCached(boolean now) {
    tellsCached |= now;
    return tellsCached;
  }

  /** A refusal has named the most tokens that a prompt and its reply may have. */
  final void limited(long tokens) {
    limit.set(new Limit(OptionalLong.of(tokens), System.nanoTime() + REMEMBERED.toNanos()));
  }

  /** The dialect of a call, with what the server has said of the schemas of its form. */
  final Dialect spoken(ReplyForm form) {
    Dialect known = dialect.get();
    Dialect own;
    synchronized (refused) {
      own = refused.get(Schemas.of(form));
    }
    return own == null ? known : known.forSchemas(own);
  }

  /** Takes over what a refusal has taught of the schemas of one form. */
  final void learned(ReplyForm form, Dialect better) {
    synchronized (refused) {
      refused.put(Schemas.of(form), better);
    }
  }

  /** What of a form a server may refuse to hold a reply to. */
  private record Schemas(Optional<JsonNode> reply, List<Tool> tools) {

    static Schemas of(ReplyForm form) {
      return new Schemas(form.schema(), form.tools());
    }
  }

  /** Takes over what a refusal has taught, unless another call has learned something meanwhile. */
  final void learned(Dialect asked, Dialect better) {
    dialect.compareAndSet(asked, better);
  }

  /**
   * Asks once, and reads the reply to its end.
   *
   * @param key of the exchange; the same where it is made again
   * @param begin until when the reply has to begin
   * @param end of the attempt
   */
  abstract void exchange(
      Exchange exchange, String key, Deadline begin, Deadline end, ReplyBuilder reply)
      throws CallFailure, InterruptedException;

  /** Until when a reply has to begin. */
  final Deadline begin(Dialect asked, Patience patience, Deadline end) {
    Duration most = settings.bounds().firstTokenTimeout().multipliedBy(patience.times());
    String words = "began no reply within " + most.toMillis() + " ms";
    return asked.streams() ? Deadline.in(most, words, patience.moves()).or(end) : end;
  }

  /** Until when one that has begun has to go on. */
  final Deadline goOn(Deadline end) {
    Duration most = settings.bounds().nextTokenTimeout();
    return Deadline.in(most, "sent no more of its reply for " + most.toMillis() + " ms").or(end);
  }

  /** How one attempt at a model call ended. */
  public sealed interface Attempt {

    /** Whether the server broke its reply off. */
    default boolean brokenOff() {
      return this instanceof Failed failed
          && failed.failure().kind() == InferenceException.Kind.BROKEN_OFF;
    }

    /**
     * The model replied, as the call's form demands.
     *
     * @param usage of all exchanges of the attempt, a repair included
     * @param cachedTokens of the first exchange; empty where the server does not report them
     * @param model by the server's name
     * @param firstToken from sending the last exchange to the first part of its reply
     */
    record Answered(
        String text,
        List<ToolCall> toolCalls,
        String reasoning,
        FinishReason finish,
        Usage usage,
        OptionalLong cachedTokens,
        String model,
        Duration firstToken)
        implements Attempt {}

    /** It failed. */
    record Failed(InferenceException failure) implements Attempt {

      /** Whether it failed for nothing but that the server has too much to do. */
      public boolean overloaded() {
        return failure.kind() == InferenceException.Kind.OVERLOADED;
      }
    }
  }

  /**
   * What a call has used up so far, over all its completions, also those that failed. Thread-safe;
   * completions of a call are made one after the other.
   */
  public static class UsageTally {

    private Usage total = Usage.NONE;
    private final Set<String> unbegun = new HashSet<>();

    /**
     * Whether a prompt is booked of which a replica has begun no reply: once, since the replica has
     * in its cache what it has computed, and goes on from there.
     */
    final synchronized boolean booked(String replica) {
      return unbegun.add(replica);
    }

    /** Of a prompt's tokens those that are expected in the replica's cache; 0 where unknown. */
    protected long expectedCached(long promptTokens) {
      return 0;
    }

    /**
     * A completion is about to be asked for; {@link #ended} follows where this returns. May block,
     * and throw what ends the attempt.
     *
     * @param promptTokens estimated
     * @param replyTokens the bound on its reply
     */
    protected void begins(long promptTokens, long replyTokens) throws InterruptedException {}

    /**
     * It has ended, however.
     *
     * @param used as the server said, else estimated; empty where the server has not begun it
     */
    protected synchronized void ended(Optional<Usage> used) {
      total = used.map(total::plus).orElse(total);
    }

    public synchronized Usage total() {
      return total;
    }
  }
}
