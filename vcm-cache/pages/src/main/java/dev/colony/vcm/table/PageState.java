package dev.colony.vcm.table;

/** How a page stands in one replica's cache. */
public enum PageState {
  /** Not there. */
  ABSENT,
  /** Not there, and a call is under way that computes it. */
  LOADING,
  /** There. */
  RESIDENT,
  /** There, and given up: what the engine evicts next, unless a call uses it before. */
  EVICTING
}
