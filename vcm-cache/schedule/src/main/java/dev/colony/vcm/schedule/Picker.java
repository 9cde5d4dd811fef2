package dev.colony.vcm.schedule;

import java.util.List;
import java.util.Optional;

/** Chooses among candidates whose cost is known. */
@FunctionalInterface
public interface Picker {

  /** A candidate and the sum of its scores, in seconds. */
  record Scored(Scorer.Candidate candidate, double seconds) {}

  /** One of them; empty only where there is none. */
  Optional<Scored> pick(List<Scored> candidates);

  /** The cheapest; of equally cheap ones that with the fewest calls, then the first. */
  Picker CHEAPEST =
      candidates -> {
        Scored best = null;
        for (Scored one : candidates) {
          if (best == null
              || one.seconds() < best.seconds()
              || (one.seconds() == best.seconds()
                  && one.candidate().replica().calls() < best.candidate().replica().calls())) {
            best = one;
          }
        }
        return Optional.ofNullable(best);
      };
}
