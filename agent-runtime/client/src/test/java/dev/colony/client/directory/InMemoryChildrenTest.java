package dev.colony.client.directory;

import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;
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
