package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.library.research.ReaderPrompts.Passage;
import dev.colony.library.research.ReaderPrompts.Shape;
import dev.colony.library.research.ResearchTypes.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a model has read out of passages. It names lines by numbers; their text is that of the file,
 * and numbers that were not shown are dropped.
 *
 * @param text the answer, with {@code [1]} for the first of the citations; empty for none
 * @param citations those of the text in its order, then others that the model says tell the answer
 * @param words other searches that the model asks for where it has no answer
 * @param dropped how many places the answer cites that were not shown
 */
record ReadAnswer(String text, List<Evidence> citations, int dropped, List<String> words) {

  static final ReadAnswer NONE = new ReadAnswer("", List.of(), 0, List.of());

  /**
   * As in {@code [2:14-18]}, {@code [2:14]}, {@code [2]} and {@code [1:3-4, 2:14]}. What has no
   * lines is an index behind a name or a bracket, as in {@code buckets[3]}.
   */
  private static final Pattern MARK =
      Pattern.compile(
          "\\[(?:\\d{1,3}:\\d{1,7}(?:-\\d{1,7})?(?:[,;] ?|(?=])))+]"
              + "|(?<![\\w\\])])\\[(?:\\d{1,3}(?::\\d{1,7}(?:-\\d{1,7})?)?(?:[,;] ?|(?=])))+]");

  private static final Pattern ONE =
      Pattern.compile("(?<=[\\[,; ])(\\d{1,3})(?::(\\d{1,7})(?:-(\\d{1,7}))?)?");

  /** Lines of one citation at most. */
  private static final int MOST_LINES = 40;

  private static final int TELLS = 2;

  private static final Pattern RANGE = Pattern.compile("(\\d{1,7})(?:\\D+(\\d{1,7}))?");

  /** What a model says of a passage; lines 0 to 0 where it names none. */
  private record Grade(int number, int grade, int first, int last) {

    static Grade of(JsonNode json) {
      Matcher lines = RANGE.matcher(json.path("lines").asText(""));
      int first = lines.find() ? Integer.parseInt(lines.group(1)) : 0;
      int last = first == 0 || lines.group(2) == null ? first : Integer.parseInt(lines.group(2));
      return new Grade(json.path("n").asInt(), json.path("grade").asInt(), first, last);
    }
  }

  /** A passage and lines of it that were shown. */
  private record Lines(int number, int first, int last) {}

  /**
   * Of a reply.
   *
   * @param shape what was shown of the passages
   * @param agent that asked
   * @param call whose reply it is
   */
  static ReadAnswer of(
      String reply, List<Passage> passages, Shape shape, String agent, String call) {
    JsonNode json = Json.parse(reply);
    Map<Integer, Grade> grades = new LinkedHashMap<>();
    for (JsonNode one : json.path("passages")) {
      Grade grade = Grade.of(one);
      grades.merge(grade.number(), grade, (had, more) -> more.grade() > had.grade() ? more : had);
    }
    return new Reading(passages, shape, grades, agent, call)
        .answer(json.path("answer").asText("").strip(), ReaderPrompts.words(json));
  }

  /**
   * Of a text, all lines of whose passages were shown.
   *
   * @param passages by the numbers that the text cites, the first of them 1
   */
  static ReadAnswer ofText(String text, List<Passage> passages, String agent, String call) {
    Shape all = new Shape(passages.size(), Integer.MAX_VALUE);
    return new Reading(passages, all, Map.of(), agent, call).answer(text.strip(), List.of());
  }

  private record Reading(
      List<Passage> passages, Shape shape, Map<Integer, Grade> grades, String agent, String call) {

    ReadAnswer answer(String said, List<String> words) {
      Map<Lines, Integer> cited = new LinkedHashMap<>();
      int[] dropped = {0};
      String text =
          MARK.matcher(said)
              .replaceAll(mark -> Matcher.quoteReplacement(numbered(mark, cited, dropped)))
              .replaceAll(" +(?=[.,;:]|$)", "");
      List<Lines> all = new ArrayList<>(cited.keySet());
      int least = all.isEmpty() ? 1 : TELLS;
      grades.values().stream()
          .filter(grade -> grade.grade() >= least)
          .sorted(Comparator.comparingInt(Grade::grade).reversed())
          .map(grade -> shown(grade.number(), grade.first(), grade.last()))
          .flatMap(Optional::stream)
          .filter(lines -> all.stream().noneMatch(one -> one.number() == lines.number()))
          .forEach(all::add);
      boolean known = !text.isBlank() && !all.isEmpty();
      return known
          ? new ReadAnswer(text, all.stream().map(this::evidence).toList(), dropped[0], List.of())
          : new ReadAnswer("", List.of(), dropped[0], words);
    }

    private String numbered(MatchResult mark, Map<Lines, Integer> cited, int[] dropped) {
      StringBuilder numbers = new StringBuilder();
      Matcher one = ONE.matcher(mark.group());
      while (one.find()) {
        int number = Integer.parseInt(one.group(1));
        Grade grade = grades.get(number);
        Optional<Lines> lines;
        if (one.group(2) != null) {
          int first = Integer.parseInt(one.group(2));
          lines =
              shown(number, first, one.group(3) == null ? first : Integer.parseInt(one.group(3)));
        } else {
          lines = grade == null ? Optional.empty() : shown(number, grade.first(), grade.last());
        }
        if (lines.isEmpty()) {
          dropped[0]++;
        } else {
          cited.putIfAbsent(lines.get(), cited.size() + 1);
          numbers.append('[').append(cited.get(lines.get())).append(']');
        }
      }
      return numbers.toString();
    }

    /** Those of the lines that were shown; empty where none was. */
    private Optional<Lines> shown(int number, int first, int last) {
      if (number < 1 || number > shape.passages()) {
        return Optional.empty();
      }
      List<Integer> lines =
          passages.get(number - 1).lines().keySet().stream()
              .limit(shape.lines())
              .filter(line -> line >= first && line <= last)
              .limit(MOST_LINES)
              .toList();
      return lines.isEmpty()
          ? Optional.empty()
          : Optional.of(new Lines(number, lines.getFirst(), lines.getLast()));
    }

    private Evidence evidence(Lines lines) {
      Passage passage = passages.get(lines.number() - 1);
      Map<Integer, String> text = new HashMap<>(passage.lines());
      text.keySet().removeIf(line -> line < lines.first() || line > lines.last());
      Grade grade = grades.get(lines.number());
      return new Evidence(
          passage.place().file(),
          lines.first(),
          lines.last(),
          String.join(
              "\n",
              text.entrySet().stream()
                  .sorted(Map.Entry.comparingByKey())
                  .map(Map.Entry::getValue)
                  .toList()),
          grade == null ? 1 : Math.max(1, grade.grade()),
          passage.place().page(),
          agent,
          call);
    }
  }
}
