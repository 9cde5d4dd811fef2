package dev.colony.testkit;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.Usage;
import dev.colony.testkit.FakeModel.Prompt;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A prompt that a {@link FakeModel} expects, and what it does then; without saying so, it answers
 * with no text. To be scripted before the prompt can come. Thread-safe.
 */
public final class Expectation {

  /** How long a test waits at most for a prompt to come. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int SHOWN = 80;
  private static final String SCRIPTED = "scripted by the test";

  private final String what;
  private final List<String> parts;
  private final Predicate<Prompt> meets;
  private final CompletableFuture<Prompt> first = new CompletableFuture<>();
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private FakeReply reply = new FakeReply.Answer(prompt -> "");
  private Optional<Usage> usage = Optional.empty();
  private Function<Prompt, CompletableFuture<Void>> gate =
      prompt -> CompletableFuture.completedFuture(null);
  private int least = 1;
  private int most = 1;
  private int taken;

  /**
   * @param parts the texts that a prompt has to hold; empty where only the predicate decides
   */
  Expectation(String what, List<String> parts, Predicate<Prompt> meets) {
    this.what = what;
    this.parts = List.copyOf(parts);
    this.meets = meets;
  }

  /**
   * Why a prompt that nothing took is not this one: what it lacks, or that this has been taken as
   * often as it is expected.
   */
  synchronized String difference(Prompt prompt) {
    if (taken >= most) {
      return what + ", which has come";
    }
    List<String> lacking =
        parts.stream()
            .filter(part -> !prompt.text().contains(part))
            .map(part -> '"' + Text.line(part, SHOWN) + '"')
            .toList();
    if (parts.isEmpty()) {
      return Text.line(what, SHOWN) + ", which this is not";
    }
    return lacking.size() == parts.size()
        ? String.join(" and ", lacking) + ", of which it has nothing"
        : Text.line(what, SHOWN) + ", of which it lacks " + String.join(" and ", lacking);
  }

  /** Whether it waits for a prompt. */
  synchronized boolean open() {
    return taken < most;
  }

  /** Expects as many of them. */
  public synchronized Expectation times(int count) {
    least = count;
    most = count;
    return this;
  }

  /** Takes any number of them, also none. */
  public synchronized Expectation anyTimes() {
    least = 0;
    most = Integer.MAX_VALUE;
    return this;
  }

  /** Holds each answer back until {@link #release}. */
  public synchronized Expectation held() {
    gate = prompt -> released;
    return this;
  }

  /** Holds each answer back until so much time has passed. */
  public synchronized Expectation delayed(Duration by, VirtualTime time) {
    gate =
        prompt -> {
          CompletableFuture<Void> come = new CompletableFuture<>();
          time.after(by, () -> come.complete(null));
          return CompletableFuture.anyOf(come, released).thenAccept(done -> {});
        };
    return this;
  }

  /** What the server says the call took; by default a token for every four characters. */
  public synchronized Expectation usage(long prompt, long cached, long completion) {
    usage = Optional.of(new Usage(prompt, cached, completion));
    return this;
  }

  /** Answers with a text as it is, or with any other value as JSON. */
  public Expectation answer(Object value) {
    String text =
        value instanceof CharSequence plain
            ? plain.toString()
            : JsonValues.toJson(value).toString();
    return answer(prompt -> text);
  }

  /** Answers with a text that depends on the prompt. */
  public Expectation answer(Function<Prompt, String> text) {
    return reply(new FakeReply.Answer(text));
  }

  /**
   * Answers as a planner does that chooses an action: by a call of its tool, or where the server
   * has no tools, by the text that stands for the call.
   *
   * @param key of the action
   * @param parameters a map or a record
   */
  public Expectation act(String key, Object parameters) {
    return calls(key, parameters);
  }

  /** Answers as a planner does that ends its run with a result. */
  public Expectation complete(Object result) {
    return calls("complete", Map.of("result", JsonValues.toJson(result)));
  }

  /** Answers as a planner does that has nothing to do for now. */
  public Expectation idle() {
    return calls("idle", Map.of());
  }

  /** Answers as a planner does that ends its run as failed. */
  public Expectation giveUp(String reason) {
    return calls("fail", Map.of("reason", reason));
  }

  /**
   * Answers with several calls.
   *
   * @param keysAndParameters the key of an action, or {@code complete}, {@code idle} or {@code
   *     fail}, and its parameters, in turn
   */
  public Expectation calls(Object... keysAndParameters) {
    List<ObjectNode> calls = new ArrayList<>();
    for (int i = 0; i < keysAndParameters.length; i += 2) {
      ObjectNode call = JsonNodeFactory.instance.objectNode();
      call.put("tool", keysAndParameters[i].toString());
      call.set("arguments", JsonValues.toJson(keysAndParameters[i + 1]));
      calls.add(call);
    }
    return reply(new FakeReply.Calls("scripted", calls));
  }

  /** Fails with an HTTP status: 500 and 503 are tried again by the client, 400 is not. */
  public Expectation fail(int status) {
    return fail(status, SCRIPTED);
  }

  /** The same with what the server says is wrong. */
  public Expectation fail(int status, String message) {
    return reply(new FakeReply.Failure(status, message, Optional.empty()));
  }

  /** Answers 429: the client is to ask again after so many seconds. */
  public Expectation limitRate(Duration retryAfter) {
    return reply(new FakeReply.Failure(429, SCRIPTED, Optional.of(retryAfter)));
  }

  /** Breaks the connection off in the middle of the answer. */
  public Expectation cutOff() {
    return reply(new FakeReply.CutOff());
  }

  /** Answers with something that is no chat completion. */
  public Expectation garbage() {
    return reply(new FakeReply.Garbage());
  }

  private synchronized Expectation reply(FakeReply next) {
    reply = next;
    return this;
  }

  /** How many such prompts have come. */
  public synchronized int count() {
    return taken;
  }

  /** Waits until the first such prompt has come, be its answer held back or not. */
  public Prompt await() {
    return first
        .copy()
        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
        .handle((prompt, late) -> {
          if (late != null) {
            throw new AssertionError("the model was not asked for " + what + " in " + PATIENCE);
          }
          return prompt;
        })
        .join();
  }

  /** Lets go of the answers that are held back, and holds none back from here on. */
  public void release() {
    released.complete(null);
  }

  /** Whether it is for a prompt and not used up; then it is a prompt nearer to that. */
  synchronized boolean take(Prompt prompt) {
    if (taken >= most || !meets.test(prompt)) {
      return false;
    }
    taken++;
    return true;
  }

  void reply(HttpExchange exchange, Prompt prompt) throws IOException {
    FakeReply scripted;
    Optional<Usage> used;
    CompletableFuture<Void> open;
    synchronized (this) {
      scripted = reply;
      used = usage;
      open = gate.apply(prompt);
    }
    // not before time is counted for it: the test that waits for the prompt lets time pass then
    first.complete(prompt);
    open.join();
    scripted.send(exchange, prompt, used);
  }

  /** What of it has not come. */
  synchronized Optional<String> missing() {
    return taken >= least
        ? Optional.empty()
        : Optional.of(
            "was not asked for "
                + what
                + (least == 1 ? "" : ", " + taken + " of " + least + " times"));
  }
}
