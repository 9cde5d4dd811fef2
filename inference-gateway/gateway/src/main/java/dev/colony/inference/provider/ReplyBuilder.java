package dev.colony.inference.provider;

import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.Usage;
import dev.colony.inference.WellFormed;
import dev.colony.inference.provider.ToolCallAssembly.Call;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Puts a reply together from its parts and passes them on as they come. Reasoning that a server
 * leaves in the text, between {@code <think>} and {@code </think>} at its beginning, is parted from
 * it. Not thread-safe.
 */
final class ReplyBuilder {

  private static final String OPEN = "<think>";
  private static final String CLOSE = "</think>";

  private static final int CHARS_PER_TOKEN = 4;

  /** On average over a reply, with the longest tokens that there are. */
  private static final int MOST_CHARS_PER_TOKEN = 16;

  /** So many characters more are awaited before it is looked whether they repeat. */
  private static final int LOOK_CHARS = 200;

  /** No reply and no prompt has more; sums of counts that are larger would overflow. */
  private static final long MOST_TOKENS = 1_000_000_000;

  private final Consumer<InferenceDelta> parts;
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder reasoning = new StringBuilder();
  private final ToolCallAssembly calls = new ToolCallAssembly();

  /** Text that may yet turn out to be the beginning of a mark. */
  private final StringBuilder held = new StringBuilder();

  private Thinking thinking = Thinking.UNKNOWN;
  private char half;

  /** Whether nothing has come since a mark but what is blank. */
  private boolean blank;

  private Optional<FinishReason> finish = Optional.empty();
  private long promptTokens;
  private OptionalLong cachedTokens = OptionalLong.empty();
  private long completionTokens;
  private long reasoningTokens;

  /** What had been written when the tokens of the reply were counted last. */
  private long countedCharacters;

  private String model = "";
  private String refusal = "";
  private boolean accepted;
  private OptionalLong begunAt = OptionalLong.empty();
  private long unread;
  private long lookedAt;
  private boolean looped;

  /** How much of the text was there before this reply. */
  private int before;

  private enum Thinking {
    UNKNOWN,
    INSIDE,
    OVER
  }

  ReplyBuilder(Consumer<InferenceDelta> parts) {
    this.parts = parts;
  }

  /** The request was taken: the model works at it. */
  void accept() {
    accepted = true;
  }

  /** What came is no reply: the model has not worked at it. */
  void refuse() {
    accepted = false;
  }

  /** The reply goes on from this beginning of another one. */
  void goOn(String begun) {
    thinking = Thinking.OVER;
    before = begun.length();
    text.append(begun);
    parts.accept(new InferenceDelta.Text(begun));
  }

  private void begin() {
    begunAt = begun() ? begunAt : OptionalLong.of(System.nanoTime());
  }

  /** More of the text. */
  void text(String more) {
    if (more.isEmpty()) {
      return;
    }
    begin();
    if (thinking == Thinking.OVER) {
      plain(more);
    } else {
      held.append(more);
      split();
    }
  }

  private void split() {
    if (thinking == Thinking.UNKNOWN) {
      String all = held.toString();
      String start = all.stripLeading();
      if (start.startsWith(OPEN)) {
        held.setLength(0);
        held.append(start.substring(OPEN.length()));
        thinking = Thinking.INSIDE;
      } else if (!OPEN.startsWith(start)) {
        thinking = Thinking.OVER;
        held.setLength(0);
        plain(all);
        return;
      }
    }
    if (thinking == Thinking.INSIDE) {
      int end = held.indexOf(CLOSE);
      int sure = end >= 0 ? end : Math.max(0, held.length() - CLOSE.length() + 1);
      reasoning(held.substring(0, sure));
      String rest = held.substring(end >= 0 ? end + CLOSE.length() : sure);
      held.setLength(0);
      if (end >= 0) {
        thinking = Thinking.OVER;
        blank = true;
        plain(rest);
      } else {
        held.append(rest);
      }
    }
  }

  /** Half a surrogate pair waits for its other half; what is blank after a mark belongs to it. */
  private void plain(String more) {
    String all = half == 0 ? more : half + more;
    half = 0;
    all = blank ? all.stripLeading() : all;
    blank = blank && all.isEmpty();
    if (!all.isEmpty() && Character.isHighSurrogate(all.charAt(all.length() - 1))) {
      half = all.charAt(all.length() - 1);
      all = all.substring(0, all.length() - 1);
    }
    if (!all.isEmpty()) {
      text.append(all);
      parts.accept(new InferenceDelta.Text(WellFormed.of(all)));
    }
  }

  /** More of what the server shows of the reasoning. */
  void reasoning(String more) {
    if (!more.isEmpty()) {
      begin();
      reasoning.append(more);
      parts.accept(new InferenceDelta.Reasoning(WellFormed.of(more)));
    }
  }

  /** What comes next belongs to another message of the server. */
  void nextDelta() {
    calls.nextDelta();
  }

  /**
   * More of a tool call, or the beginning of one.
   *
   * @param place of the call among the reply's, as the server numbers them; empty for none
   * @param id empty if it has come before, or there is none
   * @param name empty if it has come before
   */
  void tool(String place, String id, String name, String arguments) {
    begin();
    calls.part(place, id, name, arguments).ifPresent(call -> add(call, arguments));
  }

  /**
   * A tool call of which the server says that it begins here.
   *
   * @param place by which more of it comes; empty for none
   * @param id empty for none
   */
  Call call(String place, String id, String name, String arguments) {
    begin();
    Call call = calls.begin(place, id, name);
    add(call, arguments);
    return call;
  }

  private void add(Call call, String arguments) {
    call.add(arguments);
    parts.accept(new InferenceDelta.ToolArguments(call.index(), call.id(), call.name(), arguments));
  }

  void finish(FinishReason reason) {
    finish = Optional.of(reason);
  }

  void refused(String words) {
    refusal += words;
  }

  /**
   * What the server counts by now, each empty where it does not say. Some count with each part,
   * some at the beginning and at the end, and some say 0 where they do not know. One that counts
   * nonsense has said nothing.
   */
  void usage(
      OptionalLong prompt, OptionalLong cached, OptionalLong completion, OptionalLong reasoned) {
    long more = Math.max(prompt.orElse(0), completion.orElse(0));
    if (prompt.orElse(0) < 0 || completion.orElse(0) < 0 || more > MOST_TOKENS) {
      return;
    }
    promptTokens = Math.max(promptTokens, prompt.orElse(0));
    if (cached.orElse(-1) >= cachedTokens.orElse(0)) {
      cachedTokens = cached;
    }
    if (completion.orElse(0) > 0 && completion.getAsLong() >= completionTokens) {
      completionTokens = completion.getAsLong();
      countedCharacters = characters();
    }
    reasoningTokens = Math.max(reasoningTokens, reasoned.orElse(0));
  }

  void model(String name) {
    model = name;
  }

  /** Takes what is still held: no more comes. */
  void end() {
    String rest = held.toString();
    held.setLength(0);
    if (thinking == Thinking.INSIDE) {
      reasoning(rest);
    } else if (!rest.isEmpty()) {
      thinking = Thinking.OVER;
      plain(rest);
    }
    if (half != 0) {
      text.append(half);
      half = 0;
    }
    // Whole replies of llama.cpp have it once more.
    String begun = text.substring(0, before);
    if (before > 0 && text.indexOf(begun, before) == before) {
      text.delete(0, before);
    }
    before = Math.min(before, text.length());
    // Templates that open the mark themselves leave only its end in the text.
    int end = text.indexOf(CLOSE);
    if (end >= 0 && reasoning.isEmpty()) {
      reasoning.append(text, 0, end);
      String answer = text.substring(end + CLOSE.length()).stripLeading();
      text.setLength(0);
      text.append(answer);
    }
    calls.calls().stream()
        .filter(call -> !call.missing().isEmpty())
        .forEach(call -> add(call, call.missing()));
  }

  /** Whether any part of the reply has come. */
  boolean begun() {
    return begunAt.isPresent();
  }

  /** When the first part came, by {@link System#nanoTime}; empty if none has. */
  OptionalLong begunAt() {
    return begunAt;
  }

  /** Whether the model has worked at the request, so that it costs. */
  boolean accepted() {
    return accepted;
  }

  String text() {
    return text.toString();
  }

  String reasoning() {
    return reasoning.toString();
  }

  List<Call> calls() {
    return calls.calls();
  }

  /** The calls as they are put together. */
  ToolCallAssembly assembly() {
    return calls;
  }

  Optional<FinishReason> finish() {
    return finish;
  }

  /**
   * What the reply takes: as the server counts, and estimated where it does not, where it counted
   * before all was written, or where its count cannot be true.
   *
   * @param estimatedPrompt tokens
   */
  Usage used(long estimatedPrompt) {
    long written = characters();
    long estimated = written == 0 ? 0 : Math.max(1, written / CHARS_PER_TOKEN);
    boolean stale = written > countedCharacters;
    boolean impossible = completionTokens * MOST_CHARS_PER_TOKEN < written;
    long completion =
        stale || impossible ? Math.max(completionTokens, estimated) : completionTokens;
    long prompt = promptTokens > 0 ? promptTokens : Math.max(1, estimatedPrompt);
    return new Usage(
        prompt,
        Math.min(cachedTokens.orElse(0), prompt),
        completion,
        Math.min(reasoningTokens, completion));
  }

  /** The prompt's tokens, as the server counts; empty where it does not say. */
  OptionalLong counted() {
    return promptTokens > 0 ? OptionalLong.of(promptTokens) : OptionalLong.empty();
  }

  /** Those of what was used that came from a cache; empty where the server does not say. */
  OptionalLong cached(Usage used) {
    return cachedTokens.isPresent() ? OptionalLong.of(used.cachedTokens()) : cachedTokens;
  }

  String model() {
    return model;
  }

  String refusal() {
    return refusal;
  }

  /** So many bytes of the reply have come that are not going to be read. */
  void unread(long bytes) {
    unread = bytes;
  }

  /** The server says that the end of the reply repeats itself. */
  void loops() {
    looped = true;
  }

  /**
   * Whether the end of what the model writes repeats itself: of its last call, its text or its
   * reasoning. Looks only where a good part has come since it looked last.
   */
  boolean looped() {
    long written = characters();
    if (!looped && written >= lookedAt + LOOK_CHARS) {
      lookedAt = written;
      List<Call> called = calls.calls();
      looped =
          Repetition.ends(
              !called.isEmpty()
                  ? called.getLast().arguments()
                  : text.isEmpty() ? reasoning.toString() : text.toString());
    }
    return looped;
  }

  /** How many characters the model has written, reasoning, arguments and unread ones included. */
  long characters() {
    return unread
        + text.length()
        - before
        + reasoning.length()
        + held.length()
        + calls.characters();
  }
}
