package dev.colony.vcm.schedule;

/** Decides where prompts go. */
@FunctionalInterface
public interface Router {

  /** Decides over a snapshot: the same snapshot and ask give the same decision. */
  Decision route(ClusterSnapshot snapshot, Ask ask);
}
