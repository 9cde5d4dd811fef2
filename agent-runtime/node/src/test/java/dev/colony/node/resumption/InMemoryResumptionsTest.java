package dev.colony.node.resumption;

import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;
import org.junit.jupiter.api.Nested;

class InMemoryResumptionsTest {

  private final Blackboards memory = new InMemoryBlackboards();

  @Nested
  class Levels extends LevelsContract {
    @Override
    Blackboards blackboards() {
      return memory;
    }
  }

  @Nested
  class Latches extends LatchesContract {
    @Override
    Blackboards blackboards() {
      return memory;
    }
  }

  @Nested
  class Entries extends EntriesContract {
    @Override
    Blackboards blackboards() {
      return memory;
    }
  }

  @Nested
  class Deaths extends DeathsContract {
    @Override
    Blackboards blackboards() {
      return memory;
    }

    @Override
    int stride() {
      return 1;
    }
  }
}
