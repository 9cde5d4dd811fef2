package dev.colony.cli.ask;

import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.cli.terminal.Printable;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * Prints an answer as a model composes it. An analyst's replies are not the answer; of the
 * coordinator's it is the one with a field {@code answer}. Where a call is made again after some of
 * its reply was printed, no more is: the whole answer comes at the end. Thread-safe.
 */
final class AnswerPrinter {

  private final AgentId coordinator;
  private final Consumer<String> out;
  private final StringBuilder printed = new StringBuilder();
  private final StringBuilder held = new StringBuilder();
  private String call = "";
  private Instant asked = Instant.MIN;
  private long next;
  private AnswerText text = new AnswerText();
  private boolean broken;

  /**
   * @param coordinator whose answer it is
   * @param out is given what to print, without line ends but those of the answer
   */
  AnswerPrinter(AgentId coordinator, Consumer<String> out) {
    this.coordinator = coordinator;
    this.out = out;
  }

  /** Takes a part of any call. */
  synchronized void take(ReplyPart part) {
    if (broken || !part.agent().equals(coordinator) || part.kind() != ReplyPart.Kind.TEXT) {
      return;
    }
    boolean same = part.call().equals(call) && part.asked().equals(asked);
    if (!same && !printed.isEmpty()) {
      broken = !text.ended();
      return;
    }
    if (!same) {
      call = part.call();
      asked = part.asked();
      next = 0;
      text = new AnswerText();
    }
    if (part.index() != next || !part.json()) {
      // Pieces are missing: what follows them cannot be told from what is no answer.
      broken = !printed.isEmpty();
      call = "";
      return;
    }
    next += part.text().length();
    String more = withoutMarks(text.take(part.text()));
    if (!more.isEmpty()) {
      printed.append(more);
      out.accept(Printable.lines(more));
    }
  }

  /**
   * The numbers of passages mean nothing to a reader, as {@code [3]} and {@code [1, 2]}; the report
   * has places. An index in code stays, as in {@code buckets[3]}.
   */
  private String withoutMarks(String more) {
    StringBuilder plain = new StringBuilder();
    for (char c : more.toCharArray()) {
      boolean mark =
          held.isEmpty()
              ? c == '[' && !indexed(plain.isEmpty() ? printed : plain)
              : Character.isDigit(c) || held.length() > 1 && "], ".indexOf(c) >= 0;
      if (mark) {
        held.append(c);
        if (c == ']') {
          held.setLength(0);
        }
      } else {
        plain.append(held).append(c);
        held.setLength(0);
      }
    }
    if (text.ended()) {
      plain.append(held);
      held.setLength(0);
    }
    return plain.toString();
  }

  /** Whether a bracket behind a text is an index. */
  private static boolean indexed(CharSequence before) {
    if (before.isEmpty()) {
      return false;
    }
    char last = before.charAt(before.length() - 1);
    return Character.isLetterOrDigit(last) || last == '_' || last == ']' || last == ')';
  }

  /** What was printed: what the model wrote without the numbers of passages. */
  synchronized String printed() {
    return printed.toString();
  }
}
