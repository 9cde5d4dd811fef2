package dev.colony.testkit.board;

import dev.colony.blackboard.BlackboardContract;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import java.time.Clock;

class InMemoryBlackboardTest extends BlackboardContract {

  @Override
  protected Blackboards connect(BlackboardSettings settings) {
    return new InMemoryBlackboards(settings, Clock.systemUTC());
  }
}
