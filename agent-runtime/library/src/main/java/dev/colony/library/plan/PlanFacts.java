package dev.colony.library.plan;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What has come to a plan from outside since it was looked at last.
 *
 * @param news what capabilities made of events, one line each
 * @param changed keys of blackboard entries that were written by others
 * @param lost pages of the working set that are in no cache any more
 * @param regained those that are again
 * @param budgetLeft share of the run's budget that is left, 0 to 1; 1 where it has none
 */
public record PlanFacts(
    List<String> news,
    Set<String> changed,
    Set<String> lost,
    Set<String> regained,
    double budgetLeft) {

  public static final PlanFacts NONE = new PlanFacts(List.of(), Set.of(), Set.of(), Set.of(), 1);

  public PlanFacts {
    Objects.requireNonNull(news, "news");
    news = List.copyOf(news);
    changed = Set.copyOf(changed);
    lost = Set.copyOf(lost);
    regained = Set.copyOf(regained);
  }

  public PlanFacts news(String... lines) {
    return new PlanFacts(List.of(lines), changed, lost, regained, budgetLeft);
  }

  public PlanFacts changed(String... keys) {
    return new PlanFacts(news, Set.of(keys), lost, regained, budgetLeft);
  }

  public PlanFacts lost(String... pages) {
    return new PlanFacts(news, changed, Set.of(pages), regained, budgetLeft);
  }
}
