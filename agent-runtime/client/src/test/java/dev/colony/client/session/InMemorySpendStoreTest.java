package dev.colony.client.session;

import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;

class InMemorySpendStoreTest extends SpendStoreContract {

  private final Blackboards blackboards = new InMemoryBlackboards();

  @Override
  Blackboards blackboards() {
    return blackboards;
  }
}
