package dev.colony.agent.resumption;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.memory.InMemoryBlackboards;

class InMemoryResumptionsTest extends ResumptionsContract {

  private final Blackboards blackboards = new InMemoryBlackboards();

  @Override
  Blackboards blackboards() {
    return blackboards;
  }

  @Override
  int stride() {
    return 1;
  }
}
