package dev.colony.inference.provider;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.HttpExchanges.Deadline;
import dev.colony.inference.provider.HttpExchanges.Opened;
import dev.colony.inference.provider.ReplyContract.Reading;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt at a call on its way: the exchanges that it takes until the reply is as the call's
 * form demands, and what each teaches of the server's dialect and of the room that there is.
 */
final class ModelAttempt {

  private static final Logger LOG = LoggerFactory.getLogger(ModelServer.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** How often one attempt may learn something of the server's dialect. */
  private static final int MOST_LESSONS = 12;

  /** How much more room a reply gets that was cut at its bound. */
  private static final int MORE_ROOM = 4;

  /** Room that is left for a reply at least where a context is nearly full. */
  private static final int LEAST_ROOM = 16;

  /** By how much an estimate of a prompt's tokens may be too high. */
  private static final double ESTIMATE_HIGH = 1.4;

  private static final int CHARS_PER_TOKEN = 4;

  private static final Pattern CONTEXT =
      Pattern.compile("maximum context length (?:is|of) (\\d{2,9})");

  private static final Pattern PROMPT =
      Pattern.compile("(\\d{1,9}) (?:in the messages|input tokens|in your prompt|prompt tokens)");

  /** A reply, and how long its first part took. */
  private record Asked(ReplyBuilder reply, Duration firstToken) {}

  private final ModelServer server;
  private final ProviderSettings settings;
  private final URI base;

  private final InferenceRequest request;
  private final String replica;
  private final Deadline end;
  private final Consumer<InferenceDelta> parts;
  private final UsageTally spent;
  private ServedModel model;
  private List<ChatMessage> repairs = List.of();
  private String suffix = "";
  private int maxTokens;
  private int lessons;
  private boolean widened;
  private boolean repaired;
  private OptionalLong cached = OptionalLong.empty();
  private boolean first = true;

  ModelAttempt(
      ModelServer server,
      InferenceRequest request,
      String replica,
      Duration timeout,
      Consumer<InferenceDelta> parts,
      UsageTally spent) {
    this.server = server;
    this.settings = server.settings();
    this.base = server.base();
    this.request = request;
    this.replica = replica;
    this.end = Deadline.in(timeout, "gave no complete reply within " + timeout.toMillis() + " ms");
    this.parts = parts;
    this.spent = spent;
    this.maxTokens = request.reply().maxTokens();
  }

  Attempt.Answered run() throws CallFailure, InterruptedException {
    model = server.model(Duration.ofNanos(end.leftNanos()));
    fit();
    while (true) {
      Dialect spoken = server.dialect();
      ReplyContract contract = new ReplyContract(request.reply(), spoken);
      Exchange exchange = new Exchange(request, model.id(), spoken, contract, repairs, maxTokens);
      Asked asked;
      try {
        asked = ask(exchange);
      } catch (CallFailure failure) {
        again(spoken, failure);
        continue;
      }
      ReplyBuilder reply = asked.reply();
      if (first) {
        cached = reply.cached();
        first = false;
      }
      switch (reading(contract, reply)) {
        case Reading.Good good -> {
          return new Attempt.Answered(
              good.text(),
              good.toolCalls(),
              reply.reasoning(),
              good.toolCalls().isEmpty()
                  ? reply.finish().orElse(FinishReason.STOP)
                  : FinishReason.TOOL_CALLS,
              spent.total(),
              cached,
              reply.model().isEmpty() ? model.id() : reply.model(),
              asked.firstToken());
        }
        case Reading.Wrong wrong -> once(reply, wrong.why());
      }
    }
  }

  private Reading reading(ReplyContract contract, ReplyBuilder reply) throws CallFailure {
    if (!reply.refusal().isBlank()) {
      throw CallFailure.bad(
              "answered that the model refuses: " + HttpExchanges.oneLine(reply.refusal()))
          .at(base);
    }
    if (request.reply().mayBeCut() && reply.finish().equals(Optional.of(FinishReason.LENGTH))) {
      return new Reading.Good(reply.text(), List.of());
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

  /** Prepares for asking once more, or gives up. */
  private void once(ReplyBuilder reply, String why) throws CallFailure {
    boolean cut = reply.finish().equals(Optional.of(FinishReason.LENGTH));
    int room = (int) Math.min((long) maxTokens * MORE_ROOM, settings.maxReplyTokens());
    if (cut && !widened && room > maxTokens) {
      widened = true;
      maxTokens = room;
      suffix = "-longer";
      fit();
    } else if (!repaired && !cut) {
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
      throw CallFailure.bad(
              "twice gave a reply that is not as it has to be"
                  + (cut ? ", and was cut at its bound of " + maxTokens + " tokens" : "")
                  + ": "
                  + why)
          .at(base);
    }
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
  private void again(Dialect spoken, CallFailure failure) throws CallFailure {
    if (lessons++ < MOST_LESSONS) {
      if (failure.kind() == Kind.TOO_LONG && shrunk(failure.getMessage())) {
        return;
      }
      // Some answer 500 where they want to be started with another option.
      boolean option = failure.getMessage().contains("requires --");
      if (failure.kind() == Kind.REFUSED || option) {
        Optional<Dialect> learned = Refusals.learn(spoken, failure.param(), failure.getMessage());
        if (learned.isPresent()) {
          LOG.info("{} is asked as {}", base, learned.get().describe());
          LOG.debug("{}", failure.getMessage());
          server.learned(spoken, learned.get());
          return;
        }
      }
    }
    throw failure;
  }

  /** Whether the reply's bound was all that made the request too long. */
  private boolean shrunk(String words) {
    Matcher context = CONTEXT.matcher(words);
    Matcher prompt = PROMPT.matcher(words);
    if (!context.find() || !prompt.find()) {
      return false;
    }
    int left = Integer.parseInt(context.group(1)) - Integer.parseInt(prompt.group(1));
    boolean fits = left >= LEAST_ROOM && left < maxTokens;
    if (fits) {
      maxTokens = left;
    }
    return fits;
  }

  /** Refuses a prompt that cannot fit, and leaves the reply no more room than there is. */
  private void fit() throws CallFailure {
    OptionalLong context = server.contextTokens();
    if (context.isEmpty()) {
      return;
    }
    long most = context.getAsLong();
    long prompt = request.prompt().estimatedTokens();
    if (prompt / ESTIMATE_HIGH > most) {
      throw new CallFailure(
          Kind.TOO_LONG,
          "the prompt has about %d tokens, but %s at %s takes %d"
              .formatted(prompt, model.id(), base, most),
          null);
    }
    maxTokens = (int) Math.min(maxTokens, Math.max(LEAST_ROOM, most - prompt));
  }

  private Asked ask(Exchange exchange) throws CallFailure, InterruptedException {
    ReplyBuilder reply = new ReplyBuilder(exchange.contract().parts(parts));
    spent.begins(promptTokens(), maxTokens);
    boolean sent = false;
    try {
      parts.accept(
          new InferenceDelta.Asked(replica, exchange.model(), exchange.contract().verbatim()));
      HttpRequest post = server.post(exchange, request.callId() + suffix);
      long from = System.nanoTime();
      Deadline head = exchange.dialect().streams() ? firstToken().or(end) : end;
      try (Opened opened = server.http().open(post, head)) {
        if (opened.status() / 100 != 2) {
          throw StatusErrors.failure(post.uri(), opened.response(), opened.rest(end));
        }
        sent = true;
        return new Asked(reply, read(exchange, opened, head, reply, from));
      } catch (CallFailure failure) {
        throw failure.at(post.uri());
      }
    } finally {
      spent.ended(
          sent ? Optional.of(reply.usage().orElseGet(() -> estimate(reply))) : Optional.empty());
    }
  }

  /** Where the server does not say. */
  private Usage estimate(ReplyBuilder reply) {
    return new Usage(promptTokens(), 0, reply.characters() / CHARS_PER_TOKEN, 0);
  }

  private long promptTokens() {
    Prompt prompt = request.prompt();
    List<ChatMessage> all = new ArrayList<>(prompt.messages());
    all.addAll(repairs);
    return new Prompt(prompt.preamble(), prompt.pages(), all).estimatedTokens();
  }

  private Deadline firstToken() {
    Duration most = settings.firstTokenTimeout();
    return Deadline.in(most, "began no reply within " + most.toMillis() + " ms");
  }

  private Deadline nextToken() {
    Duration most = settings.nextTokenTimeout();
    return Deadline.in(most, "sent no more of its reply for " + most.toMillis() + " ms");
  }

  /** Reads the reply to its end; how long its first part took. */
  private Duration read(
      Exchange exchange, Opened opened, Deadline head, ReplyBuilder reply, long from)
      throws CallFailure, InterruptedException {
    Wire wire = Wire.of(exchange.dialect().protocol());
    if (!opened.events()) {
      wire.read(HttpExchanges.parse(opened.uri(), opened.rest(end)), reply);
      reply.end();
      return Duration.ofNanos(System.nanoTime() - from);
    }
    Optional<Duration> firstToken = Optional.empty();
    String event = "";
    StringBuilder data = new StringBuilder();
    boolean done = false;
    while (!done) {
      Deadline until = reply.begun() ? nextToken().or(end) : head;
      String line = opened.line(until);
      if (line == null || line.isEmpty()) {
        done = line == null || data.toString().equals("[DONE]");
        if (!data.isEmpty() && !data.toString().equals("[DONE]")) {
          wire.read(event, event(data.toString()), reply);
        }
        event = "";
        data.setLength(0);
      } else if (line.startsWith("data:")) {
        data.append(data.isEmpty() ? "" : "\n").append(line.substring(5).stripLeading());
      } else if (line.startsWith("event:")) {
        event = line.substring(6).strip();
      }
      if (firstToken.isEmpty() && reply.begun()) {
        firstToken = Optional.of(Duration.ofNanos(System.nanoTime() - from));
      }
    }
    reply.end();
    if (reply.finish().isEmpty()) {
      throw CallFailure.unplaced(
          Kind.BROKEN_OFF, "broke off its reply: it ended without saying why", null);
    }
    return firstToken.orElseGet(() -> Duration.ofNanos(System.nanoTime() - from));
  }

  private static JsonNode event(String data) throws CallFailure {
    try {
      JsonNode node = JSON.readTree(data);
      if (node != null && node.path("error").isContainerNode()) {
        throw CallFailure.said(node.path("error"), "broke off its reply");
      }
      return node;
    } catch (JsonProcessingException failure) {
      throw CallFailure.unplaced(
          Kind.BAD_REPLY, "sent a part of its reply that is not JSON", failure);
    }
  }
}
