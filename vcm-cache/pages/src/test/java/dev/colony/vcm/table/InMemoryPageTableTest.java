package dev.colony.vcm.table;

import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;
import org.junit.jupiter.api.AfterEach;

class InMemoryPageTableTest extends PageTableContract {

  private final Blackboards blackboards = new InMemoryBlackboards();

  @AfterEach
  void close() {
    blackboards.close();
  }

  @Override
  Blackboards blackboards() {
    return blackboards;
  }
}
