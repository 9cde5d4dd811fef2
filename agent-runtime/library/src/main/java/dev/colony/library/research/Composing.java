package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.Agent;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceReply;
import dev.colony.library.policy.PromptFit;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
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
    List<VirtualContextPage> pages =
        agent.pages().pages(List.copyOf(ids)).toCompletableFuture().join();
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
        found.read());
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
}
