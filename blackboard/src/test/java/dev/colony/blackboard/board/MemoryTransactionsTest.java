package dev.colony.blackboard.board;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import net.jqwik.api.lifecycle.AfterProperty;

class MemoryTransactionsTest extends ConcurrentTransactions {

  private final Blackboards blackboards = new InMemoryBlackboards();

  @Override
  Blackboards blackboards() {
    return blackboards;
  }

  @AfterProperty
  void close() {
    blackboards.close();
  }
}
