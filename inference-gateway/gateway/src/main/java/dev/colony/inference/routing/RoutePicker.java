package dev.colony.inference.routing;

import dev.colony.inference.PromptPage;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Chooses the replica for a call. Replicas with a full queue are out; those that failed this call
 * before come after those that did not. Of the rest, one that holds all pages wins, then the one
 * with the most resident tokens, then the calling node's own, then the one with the fewest calls,
 * then the first by id.
 */
public final class RoutePicker {

  /**
   * What speaks for and against a replica, at one moment.
   *
   * @param allResident whether it holds all pages of the call
   * @param residentTokens tokens of the call's pages that it holds
   * @param own whether it belongs to the calling node
   * @param calls running at it and waiting for it
   * @param full whether it takes no further call
   * @param failures how often this call has failed there
   */
  public record Candidate(
      Replica replica,
      boolean allResident,
      long residentTokens,
      boolean own,
      int calls,
      boolean full,
      int failures) {

    /** A candidate for a call over {@code pages}. */
    public static Candidate of(
        Replica replica,
        List<PromptPage> pages,
        ResidencyView view,
        String ownNode,
        int calls,
        boolean full,
        int failures) {
      List<PromptPage> resident =
          pages.stream().filter(page -> view.resident(replica.id(), page.id())).toList();
      return new Candidate(
          replica,
          resident.size() == pages.size(),
          resident.stream().mapToLong(PromptPage::sizeTokens).sum(),
          replica.node().equals(ownNode),
          calls,
          full,
          failures);
    }
  }

  private static final Comparator<Candidate> BEST_FIRST =
      Comparator.comparingInt(Candidate::failures)
          .thenComparing(candidate -> !candidate.allResident())
          .thenComparing(Comparator.comparingLong(Candidate::residentTokens).reversed())
          .thenComparing(candidate -> !candidate.own())
          .thenComparingInt(Candidate::calls)
          .thenComparing(candidate -> candidate.replica().id());

  private RoutePicker() {}

  /** The best candidate; empty if all are full or there is none. */
  public static Optional<Candidate> pick(Collection<Candidate> candidates) {
    return candidates.stream().filter(candidate -> !candidate.full()).min(BEST_FIRST);
  }
}
