package dev.colony.library.research;

import java.util.List;

/**
 * What an analyst found.
 *
 * @param unread the pages that no model answered for
 * @param reasons why not
 * @param dropped how many quotes stand nowhere in what the model was shown
 */
record Findings(List<Evidence> evidence, List<String> unread, UnreadReasons reasons, int dropped) {

  Findings {
    reasons = reasons == null ? UnreadReasons.NONE : reasons;
  }
}
