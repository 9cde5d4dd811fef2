package dev.colony.blackboard.history;

import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;

class MemoryHistoryTest extends HistoryContract {

  private final Blackboards blackboards = new InMemoryBlackboards();

  @Override
  Blackboards blackboards() {
    return blackboards;
  }
}
