package dev.colony.library.context;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.testkit.board.InMemoryBlackboards;
import org.junit.jupiter.api.AfterEach;

class MemoryStoreTest extends MemoryStoreContract {

  private final Blackboards blackboards = new InMemoryBlackboards();

  @Override
  Blackboard board() {
    return blackboards.open(Scope.agent("acme", "lab", "ada").namespace("memory"), "ada");
  }

  @AfterEach
  void close() {
    blackboards.close();
  }
}
