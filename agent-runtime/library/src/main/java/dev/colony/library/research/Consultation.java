package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunStats;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the analysts gave between them.
 *
 * @param evidence the strongest, each place once; of one round by files, the likeliest file first
 * @param unread the pages that no model answered for
 * @param stats the sum over the analysts' runs
 * @param pages how many pages they were to read
 * @param reasons why those that are unread are
 * @param dropped how many quotes stand nowhere in what the models were shown
 * @param read the pages that a model answered for
 */
record Consultation(
    List<Evidence> evidence,
    int analysts,
    List<String> unread,
    JsonNode stats,
    int pages,
    UnreadReasons reasons,
    int dropped,
    List<String> read) {

  Consultation {
    reasons = reasons == null ? UnreadReasons.NONE : reasons;
    read = read == null ? List.of() : List.copyOf(read);
  }

  /** This one and that of a later round. */
  Consultation plus(Consultation later, int mostEvidence) {
    return new Consultation(
        Evidence.strongest(joined(evidence, later.evidence), mostEvidence),
        analysts + later.analysts,
        joined(unread, later.unread),
        RunStats.fromJson(stats).plus(RunStats.fromJson(later.stats)).toJson(),
        pages + later.pages,
        reasons.plus(later.reasons),
        dropped + later.dropped,
        joined(read, later.read));
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    return Stream.concat(first.stream(), second.stream()).distinct().toList();
  }
}
