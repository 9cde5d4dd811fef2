package dev.colony.agent.view;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A stretch of an agent's history.
 *
 * @param entries the oldest first
 * @param older where it goes on backwards; empty where the journal begins
 * @param newer where it goes on; there may be nothing yet
 */
public record HistoryPage(
    List<HistoryEntry> entries, Optional<HistoryPosition> older, HistoryPosition newer) {

  public HistoryPage {
    entries = List.copyOf(entries);
  }

  /**
   * Both stretches as one.
   *
   * @param before ends where this one begins
   */
  public HistoryPage joined(HistoryPage before) {
    List<HistoryEntry> both = new ArrayList<>(before.entries());
    both.addAll(entries);
    return new HistoryPage(both, before.older(), newer);
  }

  /** The steps among the entries. */
  public List<StepView> steps() {
    return entries.stream().filter(StepView.class::isInstance).map(StepView.class::cast).toList();
  }
}
