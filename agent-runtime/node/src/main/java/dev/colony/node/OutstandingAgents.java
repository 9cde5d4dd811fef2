package dev.colony.node;

import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The index of agents that have accepted a run and not published its result. */
@FunctionalInterface
public interface OutstandingAgents {

  /** Their persistence ids; may hold one that has just finished, never misses one. */
  CompletionStage<Set<String>> outstanding();
}
