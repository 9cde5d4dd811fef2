package dev.colony.library.research;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunStats;
import dev.colony.library.research.ResearchTypes.Json;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a coordinator or a reader answers.
 *
 * @param answer null where the model found none
 * @param citations the evidence that the answer rests on, strongest first; empty means that nothing
 *     in the pages speaks to the question
 * @param analysts how many analysts were asked
 * @param unread the pages that no model answered for
 * @param analystStats the sum over the analysts' runs, as {@code RunStats.toJson} writes it
 * @param pages how many pages the analysts were to read; 0 where that is not known
 * @param reasons why those that are unread are
 * @param uncertain what the answer says but is not sure of, a sentence each
 * @param notRead what would have to be read to be sure, a sentence or a file each
 * @param rounds how many times the analysts were asked
 * @param dropped how many of the models' quotes stand nowhere in what they were shown
 * @param read the ids of the pages that a model answered for
 * @param hits of a reader the places that the search found, those first that the model chose
 * @param problem why the model was not asked to the end, on one line; empty if it was
 */
public record Answer(
    String answer,
    List<Evidence> citations,
    int analysts,
    List<String> unread,
    JsonNode analystStats,
    int pages,
    UnreadReasons reasons,
    List<String> uncertain,
    List<String> notRead,
    int rounds,
    int dropped,
    List<String> read,
    List<Hit> hits,
    String problem) {

  public Answer {
    hits = hits == null ? List.of() : List.copyOf(hits);
    problem = problem == null ? "" : problem;
    uncertain = uncertain == null ? List.of() : List.copyOf(uncertain);
    notRead = notRead == null ? List.of() : List.copyOf(notRead);
    read = read == null ? List.of() : List.copyOf(read);
    reasons = reasons == null ? UnreadReasons.NONE : reasons;
  }

  /** What a reader answers. */
  static Answer of(ReadAnswer read, List<Hit> hits, String problem) {
    return new Answer(
        read.text().isEmpty() ? null : read.text(),
        read.citations(),
        0,
        List.of(),
        RunStats.NONE.toJson(),
        0,
        UnreadReasons.NONE,
        List.of(),
        List.of(),
        1,
        read.dropped(),
        List.of(),
        hits,
        problem);
  }

  /**
   * A place that the search found.
   *
   * @param lastLine the last of its lines
   * @param symbol what it declares; empty where it declares nothing
   * @param score higher is better; comparable within one search
   */
  public record Hit(String file, int firstLine, int lastLine, String symbol, double score) {

    /** Whether it has the lines of some evidence. */
    public boolean has(Evidence lines) {
      return file.equals(lines.file())
          && firstLine <= lines.firstLine()
          && lines.lastLine() <= lastLine;
    }
  }

  public static Answer fromJson(JsonNode output) {
    return Json.read(output, Answer.class);
  }

  /**
   * Why pages were not read: how many for each reason. It keeps so many reasons apart and counts
   * the rest together, since a server may say something else each time. Immutable.
   */
  public record UnreadReasons(Map<String, Integer> pages) {

    static final UnreadReasons NONE = new UnreadReasons(Map.of());

    private static final int MOST = 8;
    private static final String OTHERS = "other reasons";

    /** A reason and how many pages were not read for it. */
    public record Reason(String reason, int pages) {}

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public UnreadReasons {
      Map<String, Integer> kept = new LinkedHashMap<>();
      pages.entrySet().stream()
          .sorted(
              Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                  .thenComparing(Map.Entry.comparingByKey()))
          .forEach(one ->
              kept.merge(
                  kept.size() < MOST || kept.containsKey(one.getKey()) ? one.getKey() : OTHERS,
                  one.getValue(),
                  Integer::sum));
      pages = Collections.unmodifiableMap(kept);
    }

    @JsonValue
    Map<String, Integer> json() {
      return pages;
    }

    /** Of pages that were not read, each for its reason. */
    static UnreadReasons of(Collection<String> reasons) {
      Map<String, Integer> counted = new LinkedHashMap<>();
      reasons.forEach(reason -> counted.merge(reason, 1, Integer::sum));
      return new UnreadReasons(counted);
    }

    /** These and others. */
    UnreadReasons plus(UnreadReasons more) {
      Map<String, Integer> sum = new LinkedHashMap<>(pages);
      more.pages.forEach((reason, count) -> sum.merge(reason, count, Integer::sum));
      return new UnreadReasons(sum);
    }

    /** The reason of most pages first. */
    public List<Reason> mostFirst() {
      return pages.entrySet().stream()
          .map(one -> new Reason(one.getKey(), one.getValue()))
          .sorted(Comparator.comparingInt(Reason::pages).reversed().thenComparing(Reason::reason))
          .toList();
    }
  }
}
