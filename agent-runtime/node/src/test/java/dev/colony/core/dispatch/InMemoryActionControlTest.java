package dev.colony.core.dispatch;

import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;

class InMemoryActionControlTest extends ActionControlContract {

  private static final Blackboards BLACKBOARDS = new InMemoryBlackboards();

  InMemoryActionControlTest() {
    super(BLACKBOARDS, BLACKBOARDS);
  }
}
