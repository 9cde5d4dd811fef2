package dev.colony.testkit.board;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.BoardProperties;

class InMemoryPropertiesTest extends BoardProperties {

  @Override
  protected Blackboards connect() {
    return new InMemoryBlackboards();
  }
}
