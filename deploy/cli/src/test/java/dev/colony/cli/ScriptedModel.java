package dev.colony.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.vcm.mapping.PageText;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A model server that answers by rule: an analyst's call with every line of its page that holds
 * {@link #CLUE}, a coordinator's with no words to search for, with a judgement that keeps all, and
 * with an answer of all the evidence that it was shown, an agent's that plans as {@link
 * ScriptedPlanner} says. A test may replace the rules of analysts, judgements and answers, and hold
 * single calls back until it lets them go.
 */
final class ScriptedModel implements AutoCloseable {

  static final String CLUE = "clue";

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Pattern HEADER = Pattern.compile("=== (.+) \\(lines (\\d+)-\\d+\\)");
  private static final Pattern SCORED = Pattern.compile(CLUE + " (\\d+)");
  private static final Pattern CALLER = Pattern.compile("colony \\((.+)\\)");
  private static final Pattern EVIDENCE =
      Pattern.compile("(?m)^\\[(\\d+)] (.+:)\n(?:  .*\n)*> (?:\\d+\t)?(.*)$");

  /** A line as a model quotes it. */
  record Quote(String file, int line, String text, int score) {}

  /** A chat completion that was asked for. */
  record Call(Recorded request) {

    /** Whether the answer is to be composed. */
    boolean coordinators() {
      return suffix().contains("\nEvidence:\n");
    }

    boolean judges() {
      return suffix().contains("\nPassages:\n");
    }

    boolean words() {
      return suffix().contains("Give up to three queries");
    }

    boolean analysts() {
      return !plans() && !coordinators() && !judges() && !words();
    }

    /** Whether an agent asks what to do next. */
    boolean plans() {
      return offers("complete");
    }

    /** Whether a tool of that name is offered. */
    boolean offers(String tool) {
      return request
          .json()
          .path("tools")
          .valueStream()
          .anyMatch(one -> one.at("/function/name").asText().equals(tool));
    }

    /** All that the messages say. */
    String said() {
      return request
          .json()
          .path("messages")
          .valueStream()
          .map(message -> message.path("content").asText())
          .collect(Collectors.joining("\n"));
    }

    /** What stands below a heading; empty where it does not stand there. */
    String under(String heading) {
      Matcher section =
          Pattern.compile("(?ms)^## " + heading + "\n(.*?)(?=^## |\\z)").matcher(said());
      return section.find() ? section.group(1) : "";
    }

    /** The remoting address of the node that calls. */
    String node() {
      Matcher caller = CALLER.matcher(request.headers().getOrDefault("user-agent", ""));
      if (!caller.matches()) {
        throw new AssertionError("the call does not say its node: " + request.headers());
      }
      return caller.group(1);
    }

    List<String> pages() {
      List<String> messages = request.messages("user");
      // Of joined messages the page is the beginning of the only one.
      return messages.size() == 1 ? messages : messages.subList(0, messages.size() - 1);
    }

    String suffix() {
      return request.messages("user").getLast();
    }
  }

  /** A call that is held back. */
  static final class Held {
    private final Predicate<Call> which;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final CompletableFuture<Call> arrived = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    private Held(Predicate<Call> which) {
      this.which = which;
    }

    /** Waits until the call is there; it stays unanswered. */
    Call await() {
      return arrived.orTimeout(ColonyProcess.LONGEST.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Lets it be answered, if its caller is still there. */
    void release() {
      released.complete(null);
    }
  }

  /** What an analyst is answered. */
  @FunctionalInterface
  interface AnalystRule {
    Reply reply(Call call, List<Quote> clues);
  }

  /** What a coordinator is answered. */
  @FunctionalInterface
  interface CoordinatorRule {
    Reply reply(Call call);
  }

  private final RecordingModelServer server = RecordingModelServer.start(this::reply);
  private final List<Held> holds = new CopyOnWriteArrayList<>();
  private volatile AnalystRule analystRule = (call, clues) -> quoting(clues);
  private volatile CoordinatorRule judgeRule = ScriptedModel::keepingAll;
  private volatile CoordinatorRule coordinatorRule = call -> citingAll("", call);

  URI uri() {
    return server.uri();
  }

  RecordingModelServer server() {
    return server;
  }

  List<Call> calls() {
    return server.chats().stream().map(Call::new).toList();
  }

  void analysts(AnalystRule rule) {
    analystRule = rule;
  }

  void coordinator(CoordinatorRule rule) {
    coordinatorRule = rule;
  }

  void judge(CoordinatorRule rule) {
    judgeRule = rule;
  }

  /** Holds the next call of this kind; those after it are answered. */
  Held hold(Predicate<Call> which) {
    Held held = new Held(which);
    holds.add(held);
    return held;
  }

  static Reply quoting(List<Quote> quotes) {
    ObjectNode reply = JSON.createObjectNode();
    ArrayNode evidence = reply.putArray("evidence");
    for (Quote quote : quotes) {
      evidence
          .addObject()
          .put("file", quote.file())
          .put("first", quote.line())
          .put("last", quote.line())
          .put("text", quote.text())
          .put("score", quote.score());
    }
    reply.putArray("look");
    return Reply.answer(reply.toString());
  }

  /** Names all of the evidence, and repeats it, so that the answer shows what the call held. */
  static Reply citingAll(String prefix, Call call) {
    ObjectNode reply = JSON.createObjectNode();
    ArrayNode citations = JSON.createArrayNode();
    StringBuilder answer = new StringBuilder(prefix);
    for (Matcher line = EVIDENCE.matcher(call.suffix()); line.find(); ) {
      citations.addObject().put("evidence", Integer.parseInt(line.group(1)));
      answer.append(line.group(2)).append(' ').append(line.group(3)).append(" | ");
    }
    reply.put("answer", answer.toString()).set("citations", citations);
    reply.putArray("uncertain");
    reply.putArray("notRead");
    return Reply.answer(reply.toString());
  }

  static Reply keepingAll(Call call) {
    ObjectNode reply = JSON.createObjectNode();
    ArrayNode keep = reply.putArray("keep");
    for (Matcher line = EVIDENCE.matcher(call.suffix()); line.find(); ) {
      keep.add(Integer.parseInt(line.group(1)));
    }
    reply.putArray("gaps");
    return Reply.answer(reply.toString());
  }

  @Override
  public void close() {
    holds.forEach(Held::release);
    server.close();
  }

  private Reply reply(Recorded request) {
    Call call = new Call(request);
    for (Held held : holds) {
      if (held.which.test(call) && held.taken.compareAndSet(false, true)) {
        held.arrived.complete(call);
        held.released.join();
      }
    }
    if (call.plans()) {
      return ScriptedPlanner.reply(call);
    }
    if (call.words()) {
      return Reply.answer("{\"queries\":[]}");
    }
    if (call.judges()) {
      return judgeRule.reply(call);
    }
    return call.coordinators() ? coordinatorRule.reply(call) : analystRule.reply(call, clues(call));
  }

  private static List<Quote> clues(Call call) {
    List<Quote> clues = new ArrayList<>();
    for (String page : call.pages()) {
      String file = "";
      int number = 0;
      for (String line : page.lines().toList()) {
        Matcher header = HEADER.matcher(line);
        if (header.matches()) {
          file = header.group(1);
          number = Integer.parseInt(header.group(2));
          continue;
        }
        Matcher scored = SCORED.matcher(line);
        if (scored.find()) {
          clues.add(
              new Quote(
                  file,
                  number,
                  PageText.unnumbered(number, line).strip(),
                  Integer.parseInt(scored.group(1))));
        }
        number++;
      }
    }
    return clues;
  }
}
