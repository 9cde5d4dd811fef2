package dev.colony.replica;

import dev.colony.inference.Usage;
import dev.colony.inference.prefix.BlockHashes;
import dev.colony.inference.prefix.PageResidency.ResidentPage;
import dev.colony.replica.ChatTemplate.Prompt;
import dev.colony.replica.KvCache.Admission;
import dev.colony.replica.lexical.LexicalModel;
import dev.colony.replica.lexical.LexicalPrompt;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Runs calls the way an inference server does: wait for a slot and for cache blocks, prefill what
 * is not cached, decode. Calls wait in the order in which they came. Thread-safe; blocks the
 * calling (virtual) thread.
 */
final class Engine {

  /** Where the text goes as it is decoded. */
  @FunctionalInterface
  interface Sink<E extends Exception> {
    void accept(String piece) throws E;
  }

  /**
   * A finished call.
   *
   * @param truncated whether the reply hit its token limit
   */
  record Completion(String text, Usage usage, boolean truncated) {}

  private final EmbeddedReplicaSettings settings;
  private final KvCache cache;
  private final TokenMemo tokens;
  private final LexicalModel model;
  private final Semaphore slots;
  private final Semaphore accelerator = new Semaphore(1, true);
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder promptTokens = new LongAdder();
  private final LongAdder completionTokens = new LongAdder();

  Engine(EmbeddedReplicaSettings settings, KvCache cache) {
    this.settings = settings;
    this.cache = cache;
    this.tokens = new TokenMemo(settings.tokenizerMemoTokens());
    this.model = new LexicalModel(settings.analysisMemoChars());
    this.slots = new Semaphore(settings.maxRunning(), true);
  }

  /**
   * Runs one call, handing the reply on piece by piece as it is decoded.
   *
   * @param pages ids of the messages that follow the system message, in order
   */
  <E extends Exception> Completion run(ChatRequest request, List<String> pages, Sink<E> sink)
      throws ApiError, InterruptedException, E {
    Prompt prompt = ChatTemplate.lay(request.messages(), tokens);
    int limit = replyLimit(request, prompt);
    long[] chain = BlockHashes.chain(prompt.tokens(), settings.blockTokens());
    waiting.incrementAndGet();
    boolean started = false;
    try {
      slots.acquire();
      try {
        Admission admission = cache.admit(chain, prompt.tokens().length);
        try {
          waiting.decrementAndGet();
          running.incrementAndGet();
          started = true;
          prefill(prompt.tokens().length - admission.cachedTokens());
          notePages(request.messages(), pages, prompt, chain);
          return decode(request, prompt, admission, limit, sink);
        } finally {
          cache.release(admission.lease());
        }
      } finally {
        slots.release();
      }
    } finally {
      (started ? running : waiting).decrementAndGet();
    }
  }

  /** Loads vocabularies, so that the first call does not wait for them. */
  void warmUp() {
    model.reply(new LexicalPrompt(List.of(), "Question: warm?", Optional.empty()));
    tokens.tokens("warm");
  }

  private int replyLimit(ChatRequest request, Prompt prompt) throws ApiError {
    int room = settings.contextTokens() - prompt.tokens().length;
    int limit = request.maxTokens().orElse(room);
    if (room < 1 || limit > room) {
      throw ApiError.contextLength(
          "this replica's context is %d tokens, the prompt has %d and asks for %s more"
              .formatted(
                  settings.contextTokens(),
                  prompt.tokens().length,
                  request.maxTokens().isPresent() ? limit : "some"));
    }
    return limit;
  }

  private void prefill(int uncached) throws InterruptedException {
    if (settings.prefillTokensPerSecond() == 0) {
      return;
    }
    accelerator.acquire();
    try {
      pause(uncached, settings.prefillTokensPerSecond());
    } finally {
      accelerator.release();
    }
  }

  private void notePages(List<Message> messages, List<String> pages, Prompt prompt, long[] chain) {
    int first = messages.getFirst().role().equals("system") ? 1 : 0;
    for (int i = 0; i < pages.size(); i++) {
      int blocks = prompt.ends()[first + i] / settings.blockTokens();
      if (blocks > 0) {
        ResidentPage page = new ResidentPage(pages.get(i), prompt.sizeTokens(first + i));
        cache.loaded(page, chain[blocks - 1]);
      }
    }
  }

  private <E extends Exception> Completion decode(
      ChatRequest request, Prompt prompt, Admission admission, int limit, Sink<E> sink)
      throws InterruptedException, E {
    String text = model.reply(lexical(request));
    Reply reply = Reply.upTo(limit, text);
    for (String piece : reply.pieces()) {
      pause(Reply.PIECE_TOKENS, settings.decodeTokensPerSecond());
      sink.accept(piece);
    }
    promptTokens.add(prompt.tokens().length);
    completionTokens.add(reply.sizeTokens());
    Usage usage = new Usage(prompt.tokens().length, admission.cachedTokens(), reply.sizeTokens());
    return new Completion(reply.text(), usage, reply.truncated());
  }

  private static LexicalPrompt lexical(ChatRequest request) {
    List<String> said =
        request.messages().stream()
            .filter(message -> message.role().equals("user"))
            .map(Message::content)
            .toList();
    return LexicalPrompt.of(said, request.schema());
  }

  private static void pause(int tokens, int perSecond) throws InterruptedException {
    if (perSecond > 0) {
      TimeUnit.NANOSECONDS.sleep(tokens * 1_000_000_000L / perSecond);
    }
  }

  int running() {
    return running.get();
  }

  int waiting() {
    return waiting.get();
  }

  long promptTokens() {
    return promptTokens.sum();
  }

  long completionTokens() {
    return completionTokens.sum();
  }
}
