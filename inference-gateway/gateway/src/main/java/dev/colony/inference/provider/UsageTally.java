package dev.colony.inference.provider;

import dev.colony.inference.Usage;
import java.util.Optional;

/**
 * What a call has used up so far, over all its completions, also those that failed. Thread-safe;
 * completions of a call are made one after the other.
 */
public class UsageTally {

  private Usage total = Usage.NONE;

  /**
   * A completion is about to be asked for; {@link #ended} follows where this returns. May block,
   * and throw what ends the attempt.
   *
   * @param promptTokens estimated
   * @param replyTokens the bound on its reply
   */
  protected void begins(long promptTokens, long replyTokens) throws InterruptedException {}

  /**
   * It has ended, however.
   *
   * @param used as the server said, else estimated; empty where the server has not begun it
   */
  protected synchronized void ended(Optional<Usage> used) {
    total = used.map(total::plus).orElse(total);
  }

  public synchronized Usage total() {
    return total;
  }
}
