package dev.colony.vcm.schedule;

/** How an engine's prefix cache is told which blocks are wanted least. */
public enum EvictionControl {
  /** It takes hints: blocks that are to be evicted next. */
  HINTS,
  /**
   * It evicts what was used longest ago and takes no hints, as vLLM does: all that is to stay is
   * used again, by a request of one token over a cached prefix each.
   */
  TOUCHES,
  /** Neither: what is paged out is evicted when its turn comes. */
  NONE
}
