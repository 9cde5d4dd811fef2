package dev.colony.client.child;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import org.junit.jupiter.api.Nested;

class InMemoryChildrenTest {

  private final Blackboards blackboards = new InMemoryBlackboards();

  @Nested
  class Spawned extends ChildrenContract {
    @Override
    Blackboards blackboards() {
      return blackboards;
    }
  }

  @Nested
  class Ended extends ChildrenEndContract {
    @Override
    Blackboards blackboards() {
      return blackboards;
    }
  }
}
