package dev.colony.vcm.store;

import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;
import org.junit.jupiter.api.AfterEach;

class InMemoryPageStoreTest extends PageStoreContract {

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
