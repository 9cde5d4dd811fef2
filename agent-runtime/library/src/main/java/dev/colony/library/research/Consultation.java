package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What the analysts gave between them.
 *
 * @param evidence the strongest, strongest first, each place once
 * @param unread the pages that no model answered for
 * @param stats the sum over the analysts' runs
 * @param pages how many pages they were to read
 * @param reasons why those that are unread are
 */
record Consultation(
    List<Evidence> evidence,
    int analysts,
    List<String> unread,
    JsonNode stats,
    int pages,
    UnreadReasons reasons) {

  Consultation {
    reasons = reasons == null ? UnreadReasons.NONE : reasons;
  }
}
