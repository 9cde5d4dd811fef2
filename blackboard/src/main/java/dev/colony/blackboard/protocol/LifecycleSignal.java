package dev.colony.blackboard.protocol;

import java.util.Arrays;
import java.util.Optional;

/** What an agent may be told about its life, by a supervisor, a person or the page table. */
public enum LifecycleSignal {
  /** Put your state away and free your memory. */
  SUSPEND("suspend"),
  /** Go on from where you were suspended. */
  RESUME("resume"),
  /** End what you are doing, for good. */
  STOP("stop"),
  /** Pages that you are bound to are no longer in a cache. */
  PAGES_EVICTED("pages-evicted"),
  /** All pages that you are bound to are in a cache again. */
  PAGES_AVAILABLE("pages-available");

  private final String word;

  LifecycleSignal(String word) {
    this.word = word;
  }

  /** How it stands in a key. */
  public String word() {
    return word;
  }

  /** Reads {@link #word} back; empty for a signal that this version does not know. */
  public static Optional<LifecycleSignal> of(String word) {
    return Arrays.stream(values()).filter(signal -> signal.word.equals(word)).findFirst();
  }
}
