package dev.colony.cli.ask;

import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.ask.AskReport.Amount;
import dev.colony.cli.terminal.Printable;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Prints an answer as a model composes it. An analyst's replies are not the answer; of the
 * coordinator's it is the one with a field {@code answer}, or a text that cites lines. Where a call
 * is made again after some of its reply was printed, no more is: the whole answer comes at the end.
 * Thread-safe.
 */
final class AnswerPrinter {

  private static final Pattern LINES = Pattern.compile("\\d+:\\d+(?:-\\d+)?");
  private static final Pattern CITES = Pattern.compile("\\[\\d+:\\d");

  private final AgentId coordinator;
  private final Consumer<String> out;
  private final StringBuilder printed = new StringBuilder();
  private final Map<String, Integer> cited = new HashMap<>();
  private final StringBuilder held = new StringBuilder();
  private String call = "";
  private Instant asked = Instant.MIN;
  private long next;
  private AnswerText text = new AnswerText();

  /** Of a reply that is a text, until it cites lines. */
  private final StringBuilder uncited = new StringBuilder();

  private boolean cites;
  private boolean broken;

  /**
   * @param coordinator whose answer it is
   * @param out is given what to print, without line ends but those of the answer
   */
  AnswerPrinter(AgentId coordinator, Consumer<String> out) {
    this.coordinator = coordinator;
    this.out = out;
  }

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
      uncited.setLength(0);
      cites = false;
    }
    if (part.index() != next) {
      // Pieces are missing: what follows them cannot be told from what is no answer.
      broken = !printed.isEmpty();
      call = "";
      return;
    }
    next += part.text().length();
    String more = withoutMarks(part.json() ? text.take(part.text()) : cited(part.text()));
    if (!more.isEmpty()) {
      printed.append(more);
      out.accept(Printable.lines(more));
    }
  }

  /** A model that looks for more says so, too, but as a rule without lines. */
  private String cited(String more) {
    if (cites) {
      return more;
    }
    uncited.append(more);
    cites = CITES.matcher(uncited).find();
    return cites ? uncited.toString().stripLeading() : "";
  }

  /**
   * The numbers of passages mean nothing to a reader, as {@code [3]} and {@code [1, 2]}; the report
   * has places. Lines of passages, as {@code [3:14-18]}, become the numbers that the report's
   * citations have. An index in code stays, as in {@code buckets[3]}.
   */
  private String withoutMarks(String more) {
    StringBuilder plain = new StringBuilder();
    for (char c : more.toCharArray()) {
      boolean mark =
          held.isEmpty()
              ? c == '['
              : Character.isDigit(c) || held.length() > 1 && "],;:- ".indexOf(c) >= 0;
      if (mark) {
        held.append(c);
        if (c == ']') {
          List<MatchResult> lines = LINES.matcher(held).results().toList();
          if (lines.isEmpty() && indexed(plain.isEmpty() ? printed : plain)) {
            plain.append(held);
          }
          lines.forEach(one -> plain.append('[').append(number(one.group())).append(']'));
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

  private int number(String lines) {
    cited.putIfAbsent(lines, cited.size() + 1);
    return cited.get(lines);
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

  /**
   * The text of one field of a JSON object that comes in pieces, as it comes: the field {@code
   * answer} of the object itself, not of one within it. What is no such object gives nothing.
   */
  static final class AnswerText {

    private static final String FIELD = "answer";

    private enum In {
      BEFORE,
      KEY,
      COLON,
      VALUE,
      OTHER
    }

    private In in = In.BEFORE;
    private int depth;
    private boolean quoted;
    private boolean escaped;
    private int hexDigits;
    private int hex;
    private boolean wanted;
    private boolean ended;
    private final StringBuilder key = new StringBuilder();

    /** Takes the next piece of the JSON, and gives what it adds to the text. */
    String take(String piece) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < piece.length() && !ended; i++) {
        take(piece.charAt(i), text);
      }
      return text.toString();
    }

    boolean ended() {
      return ended;
    }

    private void take(char c, StringBuilder text) {
      if (quoted) {
        inString(c, text);
        return;
      }
      switch (c) {
        case '"' -> {
          quoted = true;
          key.setLength(0);
        }
        case '{', '[' -> {
          depth++;
          in = depth == 1 && c == '{' ? In.KEY : In.OTHER;
        }
        case '}', ']' -> {
          depth--;
          ended = depth <= 0;
          in = In.OTHER;
        }
        case ':' -> {
          if (depth == 1 && in == In.COLON) {
            in = In.VALUE;
          }
        }
        case ',' -> in = depth == 1 ? In.KEY : in;
        default -> {}
      }
    }

    private void inString(char c, StringBuilder text) {
      if (hexDigits > 0) {
        hex = hex * 16 + Math.max(0, Character.digit(c, 16));
        if (--hexDigits == 0) {
          add((char) hex, text);
        }
      } else if (escaped) {
        escaped = false;
        switch (c) {
          case 'n' -> add('\n', text);
          case 't' -> add('\t', text);
          case 'r', 'b', 'f' -> add(' ', text);
          case 'u' -> {
            hexDigits = 4;
            hex = 0;
          }
          default -> add(c, text);
        }
      } else if (c == '\\') {
        escaped = true;
      } else if (c == '"') {
        quoted = false;
        ends();
      } else {
        add(c, text);
      }
    }

    private void ends() {
      if (depth == 1 && in == In.KEY) {
        wanted = key.toString().equals(FIELD);
        in = In.COLON;
      } else if (depth == 1 && in == In.VALUE) {
        ended = wanted;
        in = In.OTHER;
      }
    }

    private void add(char c, StringBuilder text) {
      if (depth == 1 && in == In.VALUE) {
        if (wanted) {
          text.append(c);
        }
      } else if (key.length() <= FIELD.length()) {
        key.append(c);
      }
    }
  }

  /**
   * Says on one line what models are answering at the moment: the end of a text that they write, of
   * JSON and of reasoning how much there is. Thread-safe.
   */
  static final class AnswerWatch {

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
      long reasoning =
          calls.values().stream().mapToLong(Running::reasoning).sum() / CHARS_PER_TOKEN;
      if (text == 0 && reasoning == 0) {
        return "";
      }
      return text == 0
          ? "thinking: %s tokens".formatted(Amount.tokens(reasoning))
          : "writing: %s tokens".formatted(Amount.tokens(text));
    }
  }
}
