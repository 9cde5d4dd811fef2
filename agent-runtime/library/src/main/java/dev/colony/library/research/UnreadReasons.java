package dev.colony.library.research;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Why pages were not read: how many for each reason. It keeps so many reasons apart and counts the
 * rest together, since a server may say something else each time. Immutable.
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
