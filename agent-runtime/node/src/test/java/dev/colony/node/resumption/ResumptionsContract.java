package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboards;
import org.junit.jupiter.api.BeforeEach;

/**
 * Suspended agents over some blackboard: what is promised to them stands in the contracts below.
 */
abstract class ResumptionsContract {

  ResumptionFixture it;
  AgentId a;
  AgentId b;
  AgentId c;

  abstract Blackboards blackboards();

  @BeforeEach
  void begin() {
    it = new ResumptionFixture(blackboards());
    a = it.agent("a");
    b = it.agent("b");
    c = it.agent("c");
  }
}
