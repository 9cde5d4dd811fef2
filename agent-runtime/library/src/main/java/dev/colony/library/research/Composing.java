package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.Agent;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceReply;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.research.CoordinatorCapability.Consultation;
import dev.colony.library.research.ReaderCapability.FileTexts;
import dev.colony.library.research.ResearchTypes.Json;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Has a model compose an answer from passages, and holds what it cites against them. */
final class Composing {

  /** Passages that an answer is composed from at most. */
  static final int PASSAGES = 15;

  /** Numbers in brackets that are no index in code, as in {@code [2]}, {@code [1, 2][4]}. */
  private static final Pattern MARKS =
      Pattern.compile("(?<![\\w\\])])(?:\\[\\d{1,3}(?:, ?\\d{1,3})*])+");

  private static final Pattern NUMBER = Pattern.compile("\\d+");

  /** A place in a file, as in {@code Main.java:12} or {@code src/Main.java:12-15}. */
  private static final Pattern PLACE =
      Pattern.compile("([\\w./$-]*[\\w$-]\\.[A-Za-z]\\w{0,9}):(\\d{1,7})(?:-(\\d{1,7}))?");

  /** Lines around a passage that the model has seen with it. */
  private static final int AROUND = Excerpts.CONTEXT_LINES;

  private Composing() {}

  /**
   * Asks the model, unless there is no passage.
   *
   * @param passages best first
   * @param open what is known to be missing, a sentence each
   * @param rounds that were asked
   */
  static Answer of(
      Agent agent,
      String question,
      Consultation found,
      List<Evidence> passages,
      List<String> open,
      int rounds) {
    if (passages.isEmpty()) {
      return answer(nothing(found), List.of(), found, List.of(), open, rounds, 0);
    }
    List<Evidence> used = passages.subList(0, Math.min(PASSAGES, passages.size()));
    Set<PageId> ids = new LinkedHashSet<>();
    used.forEach(one -> ids.add(new PageId(one.page())));
    List<VirtualContextPage> pages = agent.pages().pages(List.copyOf(ids));
    InferenceReply said;
    try {
      said =
          PromptFit.infer(
              agent,
              "compose",
              less -> AnswerPrompt.from(question, Excerpts.of(used, pages, less), open));
    } catch (AgentException failure) {
      if (failure.getCause() instanceof InferenceException spent
          && spent.kind() == InferenceException.Kind.OUT_OF_BUDGET) {
        return answer(unpaid(spent), used, found, List.of(), open, rounds, 0);
      }
      throw failure;
    }
    JsonNode reply = Json.parse(said.text());
    String text = reply.path("answer").asText();
    Set<Integer> cited = new LinkedHashSet<>();
    reply.path("citations").forEach(one -> cited.add(one.path("evidence").asInt()));
    MARKS.matcher(text).results().flatMap(Composing::numbers).forEach(cited::add);
    int invented =
        (int) PLACE.matcher(text).results().filter(place -> !stands(place, used)).count();
    return answer(
        placed(text, used),
        cited.stream()
            .filter(number -> number >= 1 && number <= used.size())
            .map(number -> used.get(number - 1))
            .toList(),
        found,
        texts(reply.path("uncertain")),
        texts(reply.path("notRead")),
        rounds,
        invented);
  }

  private static Answer answer(
      String text,
      List<Evidence> citations,
      Consultation found,
      List<String> uncertain,
      List<String> notRead,
      int rounds,
      int invented) {
    return new Answer(
        text,
        citations,
        found.analysts(),
        found.unread(),
        found.stats(),
        found.pages(),
        found.reasons(),
        uncertain,
        notRead,
        rounds,
        found.dropped() + invented,
        found.read(),
        List.of(),
        "");
  }

  /** The lines are an answer where none can be composed of them any more. */
  private static String unpaid(InferenceException spent) {
    return "The lines below were found; the budget was spent before an answer was composed of them:"
        + " "
        + Text.message(spent)
        + ".";
  }

  /** Of pages that were not read it is not known what they say. */
  private static String nothing(Consultation found) {
    return found.unread().isEmpty()
        ? "Nothing in the pages speaks to the question."
        : "Nothing in the pages that were read speaks to the question.";
  }

  /** With places for the numbers of passages, and without places that none of them has. */
  static String placed(String text, List<Evidence> used) {
    String real =
        PLACE
            .matcher(text)
            .replaceAll(place ->
                Matcher.quoteReplacement(stands(place, used) ? place.group() : place.group(1)));
    return MARKS
        .matcher(real)
        .replaceAll(marks ->
            Matcher.quoteReplacement(
                numbers(marks)
                    .filter(number -> number >= 1 && number <= used.size())
                    .map(number -> "[" + used.get(number - 1).place() + "]")
                    .collect(Collectors.joining())));
  }

  private static Stream<Integer> numbers(MatchResult marks) {
    return NUMBER.matcher(marks.group()).results().map(one -> Integer.parseInt(one.group()));
  }

  private static boolean stands(MatchResult place, List<Evidence> used) {
    String file = place.group(1);
    long first = Long.parseLong(place.group(2));
    long last = place.group(3) == null ? first : Long.parseLong(place.group(3));
    return used.stream()
        .anyMatch(one ->
            (one.file().equals(file) || one.file().endsWith("/" + file))
                && one.firstLine() - AROUND <= first
                && last <= one.lastLine() + AROUND);
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(one -> texts.add(one.asText().strip()));
    texts.removeIf(String::isEmpty);
    return texts;
  }

  /** How the coordinator asks the model to compose an answer from numbered passages. */
  static final class AnswerPrompt {

    private static final int MAX_TOKENS = 2000;

    private static final JsonNode SCHEMA =
        Json.parse(
            """
            {"type": "object", "properties": {
              "answer": {"type": "string"},
              "citations": {"type": "array", "maxItems": 30, "items": {"type": "object", "properties": {
                "evidence": {"type": "integer"}},
                "required": ["evidence"], "additionalProperties": false}},
              "uncertain": {"type": "array", "maxItems": 5,
                "items": {"type": "string", "maxLength": 300}},
              "notRead": {"type": "array", "maxItems": 5,
                "items": {"type": "string", "maxLength": 300}}},
             "required": ["answer", "citations", "uncertain", "notRead"],
             "additionalProperties": false}
            """);

    private static final String TASK =
        """
        Answer the question from the passages below. Each begins with its number and its place; lines \
        behind ">" are the passage, the others stand around it.
        "answer": first the answer in a sentence, then how it works, step by step, in the order in \
        which the code does it. Behind each statement stands the number of the passage that shows it, \
        as in [2]. Name classes, methods and settings as the code does. Say nothing that no passage \
        shows.
        "citations": the passages that the answer rests on, the one that tells it best first.
        "uncertain": what the answer says though the passages only suggest it, a sentence each.
        "notRead": what would have to be read to be sure, a sentence or a file each.

        """;

    private AnswerPrompt() {}

    /**
     * A call.
     *
     * @param passages as {@link Excerpts} writes them
     * @param open what is known to be missing
     */
    static ModelCall from(String question, String passages, List<String> open) {
      StringBuilder suffix = new StringBuilder(TASK).append("Evidence:\n").append(passages);
      open.forEach(one -> suffix.append("Found nowhere: ").append(one).append('\n'));
      suffix.append("Question: ").append(question);
      return new ModelCall(
          CoordinatorPrompts.PREAMBLE,
          List.of(),
          suffix.toString(),
          Optional.of(SCHEMA),
          MAX_TOKENS);
    }
  }

  /**
   * Passages with the code around them, numbered from 1, as a model reads them: {@code [1]
   * src/Main.java:12-14:}, then lines, those of the passage behind {@code >}. A line of the context
   * that an earlier passage has shown is not shown again.
   */
  static final class Excerpts {

    /** Lines that are shown before a passage and after it. */
    static final int CONTEXT_LINES = 6;

    private static final int MOST_CHARS = 40_000;
    private static final int MOST_LINES = 60;
    private static final int LINES_STEP = 4;

    private Excerpts() {}

    /**
     * With their context. Where that is too much, without it, then with fewer lines of each
     * passage, then without the last passages; numbers stay as they are.
     *
     * @param pages that they are on; of one that is missing the passage is shown alone
     * @param less how many tokens fewer than all of it; 0 for all of it
     */
    static String of(List<Evidence> passages, Collection<VirtualContextPage> pages, long less) {
      String text = of(passages, pages, CONTEXT_LINES, MOST_LINES);
      long room = PromptFit.tokens(text) - less;
      for (int lines = MOST_LINES;
          lines > 0 && PromptFit.tokens(text) > room;
          lines /= LINES_STEP) {
        text = of(passages, List.of(), 0, lines);
      }
      for (int some = passages.size() - 1; some > 0 && PromptFit.tokens(text) > room; some--) {
        text = of(passages.subList(0, some), List.of(), 0, 1);
      }
      return text;
    }

    private static String of(
        List<Evidence> passages,
        Collection<VirtualContextPage> pages,
        int contextLines,
        int mostLines) {
      FileTexts lines = FileTexts.of(pages);
      Map<String, Set<Integer>> shown = new HashMap<>();
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < passages.size(); i++) {
        Evidence one = passages.get(i);
        text.append('[').append(i + 1).append("] ").append(one.place()).append(":\n");
        Set<Integer> before = shown.computeIfAbsent(one.file(), path -> new HashSet<>());
        int around = text.length() < MOST_CHARS ? contextLines : 0;
        context(
            lines.lines(one.file(), one.firstLine() - around, one.firstLine() - 1), before, text);
        int number = one.firstLine();
        for (String line : lines(one, mostLines)) {
          before.add(number);
          append("> ", number++, line, text);
        }
        context(lines.lines(one.file(), one.lastLine() + 1, one.lastLine() + around), before, text);
      }
      return text.toString();
    }

    /** Those of a whole passage are all shown, the last of them with the rest. */
    private static List<String> lines(Evidence one, int most) {
      return most == MOST_LINES
          ? List.of(one.text().split("\n", most))
          : one.text().lines().limit(most).toList();
    }

    private static void context(
        Map<Integer, String> around, Set<Integer> shown, StringBuilder text) {
      around.forEach((number, line) -> {
        if (shown.add(number)) {
          append("  ", number, line, text);
        }
      });
    }

    private static void append(String mark, int number, String line, StringBuilder text) {
      text.append(mark).append(PageText.numbered(number, line)).append('\n');
    }
  }
}
