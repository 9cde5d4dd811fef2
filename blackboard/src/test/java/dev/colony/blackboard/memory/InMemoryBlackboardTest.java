package dev.colony.blackboard.memory;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.SubscriptionContract;
import java.time.Clock;

class InMemoryBlackboardTest extends SubscriptionContract {

  @Override
  protected Blackboards connect(BlackboardSettings settings) {
    return new InMemoryBlackboards(settings, Clock.systemUTC());
  }
}
