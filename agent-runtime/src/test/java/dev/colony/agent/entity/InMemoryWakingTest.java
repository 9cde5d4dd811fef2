package dev.colony.agent.entity;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import java.time.Clock;

class InMemoryWakingTest extends WakingContract {

  private final InMemoryBlackboards boards =
      new InMemoryBlackboards(
          BlackboardSettings.DEFAULTS.withEvents(
              new BlackboardSettings.Events(KEPT_EVENTS, KEPT_EVENTS, 1 << 20)),
          Clock.systemUTC());

  @Override
  Blackboards connect() {
    return boards;
  }
}
