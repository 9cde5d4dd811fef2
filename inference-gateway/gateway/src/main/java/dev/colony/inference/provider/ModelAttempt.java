package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceException.PromptLength;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.Tool;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.Dialect.Protocol;
import dev.colony.inference.provider.HttpExchanges.Deadline;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Patience;
import dev.colony.inference.provider.ModelClient.UsageTally;
import dev.colony.inference.provider.ReplyContract.Reading;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt at a call on its way: the exchanges that it takes until the reply is as the call's
 * form demands, and what each teaches of the server's dialect and of the room that there is.
 */
final class ModelAttempt {

  private static final Logger LOG = LoggerFactory.getLogger(ModelServer.class);

  /** How often one attempt may learn something of the server's dialect. */
  private static final int MOST_LESSONS = 12;

  /** How often one that says nothing at all is asked for a whole reply. */
  private static final int MOST_SILENCES = 2;

  /** How much more room a reply gets that was cut at its bound. */
  private static final int MORE_ROOM = 4;

  /** Room that is left for a reply at least where a context is nearly full. */
  private static final int LEAST_ROOM = 16;

  private final ModelClient server;
  private final ProviderSettings settings;
  private final URI base;

  private final InferenceRequest request;
  private final String replica;
  private final Deadline end;
  private final Patience patience;
  private final Consumer<InferenceDelta> parts;
  private final UsageTally spent;
  private ServedModel model;
  private List<ChatMessage> repairs = List.of();
  private String suffix = "";
  private int maxTokens;
  private int lessons;
  private boolean widened;
  private boolean anew;
  private boolean repaired;

  /** The reply as far as it was written, where the model is to go on with it; empty for none. */
  private String begun = "";

  /** The tokens of what is begun. */
  private int written;

  /** Whether the server is not asked for a stream, though it can give one. */
  private boolean whole;

  private int silences;

  private OptionalLong cached = OptionalLong.empty();
  private boolean first = true;

  /** When the last exchange began, by {@link System#nanoTime}. */
  private long asked;

  ModelAttempt(
      ModelClient server,
      InferenceRequest request,
      String replica,
      Duration timeout,
      Patience patience,
      Consumer<InferenceDelta> parts,
      UsageTally spent) {
    this.server = server;
    this.settings = server.settings();
    this.base = server.base();
    this.request = request;
    this.replica = replica;
    this.end = Deadline.in(timeout, "gave no complete reply within " + timeout.toMillis() + " ms");
    this.patience = patience;
    this.parts = parts;
    this.spent = spent;
    this.maxTokens = request.reply().maxTokens();
  }

  Attempt.Answered run() throws CallFailure, InterruptedException {
    model = server.model(Duration.ofNanos(end.leftNanos()));
    fit();
    while (true) {
      Dialect known = server.dialect();
      Dialect own = server.spoken(request.reply());
      Dialect spoken = whole ? own.whole() : own;
      ReplyContract contract = new ReplyContract(request.reply(), spoken);
      if (!EngineHints.goesOn(spoken)) {
        fromTheBeginning();
      }
      Exchange exchange =
          new Exchange(request, model.id(), spoken, contract, repairs, maxTokens, anew, begun);
      ReplyBuilder reply;
      try {
        reply = ask(exchange);
      } catch (CallFailure failure) {
        again(known, exchange, failure);
        continue;
      }
      if (first) {
        server.scale().learn(promptTokens(), reply.counted());
        cached = reply.cached(reply.used(promptTokens()));
        first = false;
      }
      switch (reading(contract, reply)) {
        case Reading.Good good -> {
          return new Attempt.Answered(
              good.text(),
              good.toolCalls(),
              reply.reasoning(),
              good.toolCalls().isEmpty() || atBound(reply)
                  ? reply.finish().orElse(FinishReason.STOP)
                  : FinishReason.TOOL_CALLS,
              spent.total(),
              cached,
              reply.model().isEmpty() ? model.id() : reply.model(),
              Duration.ofNanos(reply.begunAt().orElseGet(System::nanoTime) - asked));
        }
        case Reading.Wrong wrong when !begun.isEmpty() && !atBound(reply) -> {
          LOG.debug("{} does not go on as it began: {}", base, wrong.why());
          server.learned(known, known.omit(EngineHints.CONTINUE));
          fromTheBeginning();
        }
        case Reading.Wrong wrong -> once(contract, reply, wrong.why());
      }
    }
  }

  private Reading reading(ReplyContract contract, ReplyBuilder reply) throws CallFailure {
    if (!reply.refusal().isBlank()) {
      throw CallFailure.bad(
              "answered that the model refuses: " + HttpExchanges.oneLine(reply.refusal()))
          .at(base);
    }
    CutReply cut = new CutReply(contract, reply, request.callId());
    if (request.reply().mayBeCut() && (atBound(reply) || stopped(reply) && cut.unfinished())) {
      return cut.read();
    }
    if (reply.text().isEmpty() && reply.calls().isEmpty()) {
      if (reply.finish().equals(Optional.of(FinishReason.CONTENT_FILTER))) {
        throw CallFailure.bad("answered nothing: its content filter held the reply back").at(base);
      }
      return new Reading.Wrong(
          reply.reasoning().isEmpty() ? "it is empty" : "it has reasoning but no answer");
    }
    return contract.read(reply, request.callId());
  }

  private static boolean atBound(ReplyBuilder reply) {
    return reply.finish().equals(Optional.of(FinishReason.LENGTH));
  }

  /** Whether one of the caller's stop words may have ended the reply. */
  private boolean stopped(ReplyBuilder reply) {
    return !request.sampling().stop().isEmpty()
        && reply.finish().equals(Optional.of(FinishReason.STOP));
  }

  /** Prepares for asking once more, or gives up. */
  private void once(ReplyContract contract, ReplyBuilder reply, String why) throws CallFailure {
    boolean cut = atBound(reply);
    int room = (int) Math.min((long) maxTokens * MORE_ROOM, settings.bounds().maxReplyTokens());
    boolean loop = cut && reply.looped();
    if (loop && !anew && server.dialect().protocol() == Protocol.CHAT_COMPLETIONS) {
      anew = true;
      fromTheBeginning();
      suffix = "-anew";
    } else if (cut && !loop && !widened && room > maxTokens) {
      widened = true;
      begun = goesOn(contract, reply) ? reply.text().stripTrailing() : "";
      written = begun.isEmpty() ? 0 : (int) Math.min(room - 1, used(reply).completionTokens());
      maxTokens = room - written;
      suffix = begun.isEmpty() ? "-longer" : "-on";
      fit();
    } else if (!repaired && !cut && request.reply().repaired()) {
      repaired = true;
      suffix = "-repair";
      repairs =
          List.of(
              new ChatMessage.Assistant(said(reply), List.of()),
              new ChatMessage.User(
                  "This reply is not as it has to be: "
                      + why
                      + "\nReply again, with nothing but the corrected reply."));
    } else {
      String fault =
          (loop
                  ? "its words repeat without an end: "
                  : cut
                      ? "it was cut at its bound of %,d tokens: ".formatted(written + maxTokens)
                      : "")
              + why;
      throw CallFailure.bad(
              (repaired || widened || anew ? "twice gave" : "gave")
                  + " a reply that is not as it has to be"
                  + (loop
                      ? ", for its words repeat without an end"
                      : cut
                          ? ", and was cut at its bound of " + (written + maxTokens) + " tokens"
                          : "")
                  + ": "
                  + why,
              fault)
          .at(base);
    }
  }

  /** Whether the model can go on with a text that was cut, of which nothing is lost then. */
  private static boolean goesOn(ReplyContract contract, ReplyBuilder reply) {
    return EngineHints.goesOn(contract.dialect())
        && contract.tools().isEmpty()
        && reply.calls().isEmpty()
        && reply.reasoning().isEmpty()
        && !reply.text().isBlank();
  }

  /** The whole reply is asked for, with the room that it would have had in all. */
  private void fromTheBeginning() {
    maxTokens += written;
    suffix = begun.isEmpty() ? suffix : "-longer";
    begun = "";
    written = 0;
  }

  private static String said(ReplyBuilder reply) {
    String calls =
        reply.calls().stream()
            .map(call -> call.name() + " " + call.arguments())
            .collect(Collectors.joining("\n"));
    String text = reply.text() + (calls.isEmpty() || reply.text().isEmpty() ? "" : "\n") + calls;
    return text.isBlank() ? "(nothing)" : text;
  }

  /** Learns from a refusal, or passes the failure on. */
  private void again(Dialect known, Exchange asked, CallFailure failure) throws CallFailure {
    if (lessons++ < MOST_LESSONS) {
      // The server may close the connection behind the stream, which is found with the next
      // request.
      boolean silent = failure.silent() || whole && failure.kind() == Kind.BROKEN_OFF;
      if (silent && silences++ < MOST_SILENCES) {
        whole = true;
        return;
      }
      if (silent) {
        throw CallFailure.bad("answers nothing to this call, in a stream and without one").at(base);
      }
      failure
          .length()
          .filter(LengthRefusal.Context.class::isInstance)
          .map(said -> ((LengthRefusal.Context) said).length(maxTokens).limitTokens())
          .ifPresent(limit -> limit.ifPresent(server::limited));
      if (failure.length().filter(this::lowered).isPresent()) {
        return;
      }
      // Some answer 500 where they want to be started with another option, and llama-cpp-python
      // where a field of the request has a value that it does not know.
      boolean option = failure.getMessage().contains("requires --");
      boolean field = failure.getMessage().contains("'loc': ('body', ");
      boolean refused = failure.kind() == Kind.REFUSED || option || field;
      if (refused && learned(known, asked, failure)) {
        LOG.debug("{}", failure.getMessage());
        return;
      }
    }
    throw failure.asked(maxTokens);
  }

  /**
   * Whether a refusal has taught something. What is wrong with the call's schemas is no matter of
   * the server's dialect: it holds for calls with the same schemas.
   */
  private boolean learned(Dialect known, Exchange asked, CallFailure failure) {
    Dialect spoken = asked.dialect();
    String words = failure.getMessage();
    Optional<Dialect> better = Refusals.learn(spoken, failure.param(), words);
    boolean looser = better.filter(one -> one.json() != spoken.json()).isPresent();
    if (Refusals.ofSchema(words)) {
      better = unheld(asked, words);
    } else if (!looser || spoken.json() == known.json()) {
      better = Refusals.learn(known, failure.param(), words);
      better.ifPresent(learned -> {
        LOG.info("{} is asked as {}", base, learned.describe());
        server.learned(known, learned);
      });
      return better.isPresent();
    }
    better.ifPresent(learned -> server.learned(request.reply(), learned));
    return better.isPresent();
  }

  /** Without the keywords that a refusal names, else with less for the server to hold to. */
  private static Optional<Dialect> unheld(Exchange asked, String refusal) {
    ReplyContract contract = asked.contract();
    Optional<JsonNode> format = contract.format().flatMap(ReplyContract.Format::schema);
    Stream<JsonNode> sent =
        Stream.concat(format.stream(), contract.tools().stream().map(Tool::parameters));
    Dialect less = asked.dialect();
    for (JsonNode schema : sent.toList()) {
      for (String keyword : SchemaKeywords.refused(refusal, schema)) {
        less = less.omit(keyword);
      }
    }
    if (!less.equals(asked.dialect())) {
      return Optional.of(less);
    }
    if (contract.format().isPresent() || contract.asTool()) {
      return asked.dialect().looser();
    }
    return contract.tools().isEmpty()
        ? Optional.empty()
        : Optional.of(asked.dialect().withoutTools());
  }

  /** Whether the reply's bound was all that made the request too long: it is lowered then. */
  private boolean lowered(LengthRefusal said) {
    long room =
        switch (said) {
          case LengthRefusal.Reply reply -> reply.most();
          case LengthRefusal.Context context -> left(context);
        };
    boolean less = room >= LEAST_ROOM && room < maxTokens;
    if (less) {
      maxTokens = (int) room;
    }
    return less;
  }

  /** What the server's numbers leave to the reply; 0 where it does not name both. */
  private long left(LengthRefusal.Context said) {
    PromptLength numbers = said.length(maxTokens);
    if (numbers.limitTokens().isEmpty() || numbers.promptTokens().isEmpty()) {
      return 0;
    }
    long limit = numbers.limitTokens().getAsLong();
    long most = limit - numbers.promptTokens().getAsLong();
    if (!said.atLeast() || most < LEAST_ROOM) {
      return most;
    }
    // The server has not counted all of the prompt: each number that it names is one too many.
    long guessed = limit - promptTokens();
    boolean likely = guessed >= LEAST_ROOM && guessed < maxTokens;
    return Math.min(most, likely ? guessed : maxTokens / MORE_ROOM);
  }

  /** Refuses a prompt that cannot fit, and leaves the reply no more room than there is. */
  private void fit() throws CallFailure {
    OptionalLong context = server.contextTokens();
    if (context.isEmpty()) {
      return;
    }
    long most = context.getAsLong();
    long prompt = promptTokens();
    if (server.scale().least(prompt) > most) {
      throw CallFailure.tooLong(
          "the prompt has about %d tokens, but %s at %s takes %d"
              .formatted(server.scale().most(prompt), model.id(), base, most),
          new PromptLength(context, OptionalLong.of(server.scale().most(prompt))));
    }
    maxTokens = (int) Math.min(maxTokens, Math.max(LEAST_ROOM, most - server.scale().most(prompt)));
  }

  private ReplyBuilder ask(Exchange exchange) throws CallFailure, InterruptedException {
    ReplyBuilder reply = new ReplyBuilder(exchange.contract().parts(parts));
    spent.begins(promptTokens(), maxTokens);
    try {
      parts.accept(
          new InferenceDelta.Asked(replica, exchange.model(), exchange.contract().verbatim()));
      if (!begun.isEmpty()) {
        reply.goOn(begun);
      }
      asked = System.nanoTime();
      Deadline begin = server.begin(exchange.dialect(), patience, end);
      server.exchange(exchange, request.callId() + suffix, begin, end, reply);
      return reply;
    } finally {
      boolean known = reply.begun() || reply.counted().isPresent();
      boolean took = reply.accepted() && (known || spent.booked(replica));
      spent.ended(took ? Optional.of(used(reply)) : Optional.empty());
    }
  }

  /**
   * vLLM counts cached tokens with the end of a reply: one that was broken off had as many as were
   * expected, not none. A hosted service's price is booked in full.
   */
  private Usage used(ReplyBuilder reply) {
    Usage used = reply.used(promptTokens());
    boolean tells = server.tellsCached(reply.cached(used).isPresent());
    return tells && reply.cached(used).isEmpty() && !server.dialect().hosted()
        ? used.cached(spent.expectedCached(used.promptTokens()))
        : used;
  }

  private long promptTokens() {
    Prompt prompt = request.prompt();
    List<ChatMessage> all = new ArrayList<>(prompt.messages());
    all.addAll(repairs);
    if (!begun.isEmpty()) {
      all.add(new ChatMessage.Assistant(begun, List.of()));
    }
    return new Prompt(prompt.preamble(), prompt.pages(), all).estimatedTokens();
  }
}
