package dev.colony.replica;

import dev.colony.replica.Answer.Replies;
import dev.colony.replica.ChatTemplate.Message;
import dev.colony.replica.ChatTemplate.Message.MadeCall;
import dev.colony.replica.ChatTemplate.Prompt;
import dev.colony.replica.ChatTemplate.TokenMemo;
import dev.colony.replica.Engine.Call;
import dev.colony.replica.Engine.PlacedPage;
import dev.colony.replica.ResidentPages.PageResidency.ResidentPage;
import dev.colony.replica.lexical.LexicalModel;
import dev.colony.replica.lexical.LexicalModel.LexicalPrompt;
import dev.colony.replica.lexical.LexicalModel.Tools;
import dev.colony.replica.lexical.LexicalModel.Tools.Taken;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** {@code POST /v1/chat/completions}, whole and streamed as server-sent events. */
final class ChatEndpoint {

  static final String PAGES_HEADER = "X-Colony-Pages";

  private final EmbeddedReplicaSettings settings;
  private final Engine engine;
  private final Writer writer;
  private final Faults faults;
  private final TokenMemo memo;
  private final Semaphore tickets;
  private final Clock clock;

  ChatEndpoint(
      EmbeddedReplicaSettings settings,
      Engine engine,
      Writer writer,
      TokenMemo memo,
      Faults faults,
      Clock clock) {
    this.settings = settings;
    this.engine = engine;
    this.writer = writer;
    this.faults = faults;
    this.memo = memo;
    this.tickets = new Semaphore(settings.maxRunning() + settings.maxWaiting());
    this.clock = clock;
  }

  void handle(Exchange exchange) throws ApiError, IOException, InterruptedException {
    if (!tickets.tryAcquire()) {
      exchange.header("Retry-After", "1");
      throw ApiError.overloaded("all slots of this replica are taken, its queue is full");
    }
    try {
      ChatRequest request = ChatRequest.parse(exchange.body());
      if (!request.model().equals(EmbeddedReplica.MODEL)) {
        throw ApiError.noModel(request.model());
      }
      Prompt prompt = ChatTemplate.lay(request.messages(), request.tools(), memo);
      int promptTokens = prompt.tokens().length;
      List<PlacedPage> pages = pages(exchange, request, prompt);
      int limit = limit(request, promptTokens);
      Answer answer = new Answer(exchange, faults.next());
      if (answer.atOnce(request.stream())) {
        return;
      }
      Generation generation = writer.write(request, limit);
      Replies replies = new Replies(clock.instant().getEpochSecond());
      try (Call call = engine.submit(prompt.tokens(), generation, request.cacheSalt(), pages)) {
        if (request.stream()) {
          answer.stream(generation, replies, promptTokens, call, request.streamUsage());
        } else {
          answer.whole(generation, replies, promptTokens, call);
        }
      }
    } finally {
      tickets.release();
    }
  }

  private int limit(ChatRequest request, int promptTokens) throws ApiError {
    int room = settings.contextTokens() - promptTokens;
    if (room < 1) {
      throw ApiError.contextLength(settings.contextTokens(), promptTokens);
    }
    int limit = request.maxTokens().orElse(room);
    if (limit > room) {
      throw ApiError.maxTokens(settings.contextTokens(), promptTokens, limit);
    }
    return limit;
  }

  /** The pages that the request names; they are the messages after the system message. */
  private List<PlacedPage> pages(Exchange exchange, ChatRequest request, Prompt prompt)
      throws ApiError {
    List<String> ids = new ArrayList<>();
    for (String value : exchange.headers(PAGES_HEADER)) {
      for (String id : value.split(",")) {
        if (!id.isBlank()) {
          ids.add(URLDecoder.decode(id.strip(), StandardCharsets.UTF_8));
        }
      }
    }
    int first = request.messages().getFirst().role().equals("system") ? 1 : 0;
    if (ids.size() > request.messages().size() - first) {
      throw ApiError.invalid(
          PAGES_HEADER, PAGES_HEADER + " names " + ids.size() + " pages, more than messages");
    }
    List<PlacedPage> pages = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      pages.add(
          new PlacedPage(
              new ResidentPage(ids.get(i), prompt.sizeTokens(first + i)),
              prompt.ends()[first + i] / EmbeddedReplicaSettings.BLOCK_TOKENS));
    }
    return pages;
  }

  /** Has the lexical model write replies, as many at once as there are processors. Thread-safe. */
  static final class Writer {

    /** Tokens of a reply between two events of a stream; the first token is sent by itself. */
    private static final int INTERVAL = 8;

    private final LexicalModel model = new LexicalModel();
    private final Semaphore processors =
        new Semaphore(Runtime.getRuntime().availableProcessors(), true);

    /**
     * Loads the words of the lexical model, so that the first call does not wait for them. The
     * tokens' vocabulary is left to that call: it takes 40 MB, and many a node has none.
     */
    void warmUp() {
      model.reply(new LexicalPrompt(List.of(), "Question: warm?", Optional.empty()));
    }

    /** The reply to a request, of at most {@code limit} tokens. */
    Generation write(ChatRequest request, int limit) throws InterruptedException {
      processors.acquire();
      try {
        Tools tools = new Tools(request.offered(), request.toolChoice(), taken(request.messages()));
        List<String> said =
            request.messages().stream()
                .filter(message -> message.role().equals("user"))
                .map(Message::content)
                .toList();
        LexicalPrompt prompt = LexicalPrompt.of(said, request.schema());
        Optional<Tools.Call> call = model.call(prompt, tools);
        if (call.isPresent()) {
          return Generation.call(call.get(), request.toolChoice(), limit, INTERVAL);
        }
        String text =
            request.choices().isEmpty()
                ? model.reply(prompt, tools.taken())
                : model.choose(prompt, request.choices());
        return Generation.text(text, request.stop(), limit, INTERVAL);
      } finally {
        processors.release();
      }
    }

    /** The calls since the last user message that have a result. */
    private static List<Taken> taken(List<Message> messages) {
      List<MadeCall> made = new ArrayList<>();
      List<Taken> taken = new ArrayList<>();
      for (Message message : messages) {
        if (message.role().equals("user")) {
          made.clear();
          taken.clear();
        }
        made.addAll(message.calls());
        if (message.role().equals("tool")) {
          made.stream()
              .filter(one -> one.id().equals(message.callId()))
              .findFirst()
              .ifPresent(one -> taken.add(new Taken(one.call(), message.content())));
        }
      }
      return taken;
    }
  }
}
