package dev.colony.client.spend;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.memory.InMemoryBlackboards;

class InMemorySpendStoreTest extends SpendStoreContract {

  private final Blackboards blackboards = new InMemoryBlackboards();

  @Override
  Blackboards blackboards() {
    return blackboards;
  }
}
