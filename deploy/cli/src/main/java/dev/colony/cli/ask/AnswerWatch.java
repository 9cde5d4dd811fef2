package dev.colony.cli.ask;

import dev.colony.agent.ReplyPart;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.terminal.Printable;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Says on one line what models are answering at the moment: the end of a text that they write, of
 * JSON and of reasoning how much there is. Thread-safe.
 */
final class AnswerWatch {

  /** Calls that are looked at; those beyond are not counted. */
  private static final int MOST_CALLS = 1_000;

  private static final int CHARS_PER_TOKEN = 4;
  private static final int IN_A_LINE = 32;

  /**
   * What a call has given.
   *
   * @param tail the end of its text, where it is for people
   */
  private record Running(Instant asked, long text, long reasoning, String tail) {

    Running with(ReplyPart part) {
      long end = part.index() + part.text().length();
      return switch (part.kind()) {
        case ASKED -> new Running(part.asked(), 0, 0, "");
        case REASONING -> new Running(asked, text, end, tail);
        case TEXT ->
            new Running(
                asked,
                end,
                reasoning,
                part.json() ? "" : Text.tail(tail + part.text(), 2 * IN_A_LINE));
        case ENDED -> this;
      };
    }
  }

  private final Map<String, Running> calls = new LinkedHashMap<>();

  /** Takes a part. */
  synchronized void take(ReplyPart part) {
    if (part.kind() == ReplyPart.Kind.ENDED) {
      calls.remove(part.call());
      return;
    }
    Running before = calls.get(part.call());
    if (before == null && calls.size() >= MOST_CALLS) {
      return;
    }
    boolean same = before != null && before.asked.equals(part.asked());
    Running from = same ? before : new Running(part.asked(), 0, 0, "");
    calls.put(part.call(), from.with(part));
  }

  /** Empty where none is answering. */
  synchronized String line() {
    String tail =
        calls.values().stream()
            .map(Running::tail)
            .filter(one -> !one.isBlank())
            .reduce("", (before, last) -> last);
    if (!tail.isEmpty()) {
      return Text.tail(Printable.of(tail.strip().lines().reduce("", (a, b) -> b)), IN_A_LINE);
    }
    long text = calls.values().stream().mapToLong(Running::text).sum() / CHARS_PER_TOKEN;
    long reasoning = calls.values().stream().mapToLong(Running::reasoning).sum() / CHARS_PER_TOKEN;
    if (text == 0 && reasoning == 0) {
      return "";
    }
    return text == 0
        ? "thinking: %s tokens".formatted(Amount.tokens(reasoning))
        : "writing: %s tokens".formatted(Amount.tokens(text));
  }
}
