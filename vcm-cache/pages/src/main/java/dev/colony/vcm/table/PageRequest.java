package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.time.Instant;

/**
 * That a page is wanted in a cache.
 *
 * @param holder who wants it: an agent by its persistent name, or an operator
 * @param priority {@value #LEAST_PRIORITY} to {@value #MOST_PRIORITY}, as of model calls
 * @param since when it was first asked for; asking again keeps it
 * @param until when it ends by itself, exclusive
 */
public record PageRequest(PageId page, String holder, int priority, Instant since, Instant until) {

  public static final int LEAST_PRIORITY = 0;
  public static final int MOST_PRIORITY = 9;

  public PageRequest {
    if (priority < LEAST_PRIORITY || priority > MOST_PRIORITY) {
      throw new IllegalArgumentException(
          "a priority is %d to %d, not: %d".formatted(LEAST_PRIORITY, MOST_PRIORITY, priority));
    }
  }
}
