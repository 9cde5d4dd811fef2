package dev.colony.node.admission;

import dev.colony.agent.fixture.ClusterNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.node.AgentListener;
import dev.colony.testkit.load.InstantModel;
import java.util.Map;

/** A {@link ClusterNode} with slots for two agents at work and three in memory that wait. */
final class CrowdedNode {

  private static final String SETTINGS =
      """
      colony.agent.capacity {
        agents = 2
        waiting { most = 3, longest = 100ms, keep = 2 }
        report { every = 100ms, sweep = 300ms, grace = 3s }
      }
      """;

  private CrowdedNode() {}

  public static void main(String[] args) {
    ClusterNode.start(
        args, SETTINGS, new InstantModel(), new TestTypes(), AgentListener.NONE, Map.of());
  }
}
