package dev.colony.node.admission;

import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.ClusterNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.node.AgentListener;
import dev.colony.testkit.InstantModel;
import java.time.Duration;
import java.util.Map;

/** A {@link ClusterNode} with slots for two agents at work and three in memory that wait. */
final class CrowdedNode {

  private static final String SETTINGS = "colony.agent.capacity.agents = 2";

  private static final CapacitySettings CROWDED =
      Bounds.capacity(
          SETTINGS,
          new CapacitySettings.Waiting(3, Duration.ofMillis(100), 2, 200),
          Duration.ofSeconds(3));

  private CrowdedNode() {}

  public static void main(String[] args) {
    ClusterNode.start(
        args,
        SETTINGS + "\n",
        node -> node.service(CapacitySettings.class, CROWDED),
        new InstantModel(),
        new TestTypes(),
        AgentListener.NONE,
        Map.of());
  }
}
