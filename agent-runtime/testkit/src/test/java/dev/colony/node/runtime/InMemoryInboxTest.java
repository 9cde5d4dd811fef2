package dev.colony.node.runtime;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Clock;
import org.junit.jupiter.api.Nested;

class InMemoryInboxTest {

  private final Blackboards memory =
      new InMemoryBlackboards(
          BlackboardSettings.DEFAULTS.withEvents(InboxFixture.EVENTS), Clock.systemUTC());

  @Nested
  class Requests extends RequestContract {
    @Override
    Blackboards connect() {
      return memory;
    }
  }

  @Nested
  class Wakes extends WakingContract {
    @Override
    Blackboards connect() {
      return memory;
    }
  }
}
