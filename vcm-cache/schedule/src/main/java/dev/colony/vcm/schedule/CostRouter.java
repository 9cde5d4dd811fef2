package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.Decision.Hold;
import dev.colony.vcm.schedule.Decision.Refusal;
import dev.colony.vcm.schedule.Decision.Run;
import dev.colony.vcm.schedule.Picker.Scored;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Of the replicas that pass all filters, the one that the picker takes by the sum of the scores.
 */
public record CostRouter(List<Filter> filters, List<Scorer> scorers, Picker picker)
    implements Router {

  public CostRouter {
    filters = List.copyOf(filters);
    scorers = List.copyOf(scorers);
  }

  /**
   * The rule for calls without a session: least backlog + (1 + a) * prefill, where a is the length
   * of the queues times {@code congestion}, up to {@code most}.
   */
  public static CostRouter chat(double congestion, double most) {
    return new CostRouter(Filter.ALL, Scorer.chat(congestion, most), Picker.CHEAPEST);
  }

  @Override
  public Decision route(ClusterSnapshot snapshot, Ask ask) {
    Refusal refusal = Refusal.NO_REPLICA;
    List<Scored> scored = new ArrayList<>(snapshot.replicas().size());
    for (ClusterSnapshot.Replica replica : snapshot.replicas()) {
      Optional<Refusal> refused =
          filters.stream().flatMap(filter -> filter.refuses(ask, replica).stream()).findFirst();
      if (refused.isPresent()) {
        refusal = refused.get().compareTo(refusal) < 0 ? refused.get() : refusal;
        continue;
      }
      Scorer.Candidate candidate = Scorer.Candidate.of(ask, replica);
      double seconds =
          scorers.stream().mapToDouble(scorer -> scorer.seconds(candidate, snapshot)).sum();
      scored.add(new Scored(candidate, seconds));
    }
    Optional<Scored> picked = picker.pick(scored);
    if (picked.isEmpty()) {
      return new Hold(refusal);
    }
    Scorer.Candidate best = picked.get().candidate();
    return new Run(
        best.replica().id(), picked.get().seconds(), best.cachedBlocks(), best.prefillSeconds());
  }
}
