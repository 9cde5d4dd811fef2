package dev.colony.vcm.placement;

import java.util.concurrent.CompletionStage;

/** Which nodes there are and which units each of them runs, asked for from any node. */
@FunctionalInterface
public interface ClusterLayout {

  /**
   * The layout about now. Nodes that do not answer in time are in it without their units; it never
   * fails.
   */
  CompletionStage<ClusterView> view();
}
