package dev.colony.library.research;

import java.util.List;

/**
 * What an analyst found.
 *
 * @param unread the pages that no model answered for
 * @param reasons why not
 */
record Findings(List<Evidence> evidence, List<String> unread, UnreadReasons reasons) {

  Findings {
    reasons = reasons == null ? UnreadReasons.NONE : reasons;
  }
}
